import { randomInt } from 'node:crypto';
import { isUnavailable } from '../api/decode.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { toJson } from '../wire/json.js';
import { type Policies, withPolicies } from './policies.js';

type Work = (t: TestContext, policies: Policies) => Promise<void>;

const test = (name: string, title: string, requirements: Test['requirements'], work: Work): Test => ({
  name: `retention/${name}`,
  title,
  requirements,
  run: (t) => withPolicies(t, (policies) => work(t, policies)),
});

/** A version that is not truncated before the test is over: nobody need promise to keep what is gone already. */
const ahead = (t: TestContext): bigint => t.committed + 2n ** 45n;

/** Ids of other characters may be too unusual for some servers. */
const isPlain = (id: string): boolean => /^[a-z0-9-]+$/.test(id);

/** Creates a policy, and says whether the server takes an id that is not plain. @throws Violation */
async function createUnusual(
  t: TestContext,
  policies: Policies,
  id: string,
  version: bigint,
): Promise<boolean> {
  if (isPlain(id) && id.length < 64) {
    await policies.set(id, version, 201);
    return true;
  }
  const { status, mayBeRepeated } = await policies.put(id, version);
  const isRefused = status >= 400 && status < 500;
  if (isRefused) t.saw('RETENTION-ID-UNUSUAL', `answered ${status}: ${id}`);
  else
    t.check(
      'RETENTION-CREATE',
      status === 201 || (mayBeRepeated && status === 200),
      `PUT of a new policy ${id} answered ${status}, not 201`,
    );
  return !isRefused;
}

/** Endings of ids that are told apart only by someone who looks at every character. */
const LIKE_ENDINGS = [
  '',
  'a',
  'A',
  'aa',
  'b',
  '-',
  '--',
  '_',
  '.',
  '..',
  '~',
  '.a',
  '.json',
  '-a',
  '_a',
  '0',
  '00',
  '1',
];

/** Names that some languages find in every table. */
const INHERITED = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  '0',
  'None',
];

const BAD_BODIES: readonly [string, string][] = [
  ['an empty body', ''],
  ['words', 'prevent truncation'],
  ['an object that is not closed', '{"prevent_truncate":1'],
  ['null', 'null'],
  ['a number', '1'],
  ['an array', '[{"prevent_truncate":1}]'],
  ['an empty object', '{}'],
  ['another field', '{"version":1}'],
  ['prevent_truncate: null', '{"prevent_truncate":null}'],
  ['prevent_truncate: a string', '{"prevent_truncate":"1"}'],
  ['prevent_truncate: a word', '{"prevent_truncate":"all"}'],
  ['prevent_truncate: a fraction', '{"prevent_truncate":1.5}'],
  ['prevent_truncate: true', '{"prevent_truncate":true}'],
  ['prevent_truncate: an object', '{"prevent_truncate":{}}'],
  ['prevent_truncate: an array', '{"prevent_truncate":[1]}'],
];

/** The last ones of the short ones are what is left of others where those are decoded twice, or normalized. */
const UNUSUAL_ENDINGS: readonly string[] = [
  ' ',
  '/',
  // Nobody else's, should it be taken for a policy of its own.
  '/conformance',
  '%',
  '%41',
  'a?',
  '#',
  '+',
  'a+b',
  'a b',
  ':',
  '@',
  '&',
  '"',
  '\\',
  'e\u0301',
  '\u00e9',
  '\u{1f600}',
  'A',
  'x'.repeat(80),
  'x'.repeat(200),
  'x'.repeat(1000),
];

export const retentionTests: readonly Test[] = [
  test(
    'life',
    'A policy is created, read, updated up and down, listed, deleted, and created again.',
    [
      'RETENTION-CREATE',
      'RETENTION-UPDATE',
      'RETENTION-GET',
      'RETENTION-GET-NONE',
      'RETENTION-LIST',
      'RETENTION-DELETE',
      'ENCODING-JSON',
    ],
    async (t, policies) => {
      const id = t.policyId();
      await policies.expectNone(id, 'which was never set');
      await policies.expectListed(new Map([[id, undefined]]));
      for (let life = 0; life < 3; life += 1) {
        const low = ahead(t);
        const [next, far] = [low + 1n, low + 1_000_000n];
        const first = life === 1 ? far : low;
        await policies.set(id, first, 201);
        await policies.expect(id, first, 'RETENTION-GET');
        await policies.expectListed(new Map([[id, first]]));
        for (const version of [next, next, far, low, low]) {
          await policies.set(id, version, 200);
          await policies.expect(id, version, 'RETENTION-UPDATE');
          await policies.expectListed(new Map([[id, version]]));
        }
        await policies.remove(id);
        await policies.expectNone(id, 'which was deleted', 'RETENTION-DELETE');
        await policies.expectListed(new Map([[id, undefined]]), 'RETENTION-DELETE');
      }
    },
  ),
  test(
    'values',
    'prevent_truncate is answered as it was set: 0, the current version, and a version far above.',
    ['RETENTION-GET', 'RETENTION-LIST', 'RETENTION-CREATE'],
    async (t, policies) => {
      const expected = new Map<string, bigint>();
      for (const version of [0n, t.committed, t.committed + 1n, ahead(t), t.committed + 2n ** 40n]) {
        const id = t.policyId(`-${version}`);
        const { status } = await policies.put(id, version);
        // Nobody need promise to keep what is truncated already.
        const mayBeTruncated = version <= t.committed && status >= 400 && status < 500;
        if (mayBeTruncated)
          t.saw('RETENTION-ID-UNUSUAL', `a policy at version ${version}: answered ${status}`);
        t.check(
          'RETENTION-CREATE',
          mayBeTruncated || status < 300,
          `PUT of a policy at ${version} answered ${status}`,
        );
        if (!mayBeTruncated) expected.set(id, version);
      }
      for (const [id, version] of expected) await policies.expect(id, version);
      await policies.expectListed(expected);
    },
  ),
  test(
    'separate',
    'Many policies stand beside each other, and setting or deleting one leaves the others as they are.',
    ['RETENTION-SEPARATE', 'RETENTION-LIST', 'RETENTION-DELETE'],
    async (t, policies) => {
      const stem = t.policyId();
      // One of them begins others.
      const ids = Array.from({ length: 12 }, (_, index) => `${stem}-${index}`);
      const expected = new Map<string, bigint | undefined>();
      const base = ahead(t);
      for (const [index, id] of ids.entries()) {
        await policies.set(id, base + BigInt(index), 201);
        expected.set(id, base + BigInt(index));
      }
      const checkAll = async (): Promise<void> => {
        for (const [id, version] of expected) {
          if (version === undefined) await policies.expectNone(id, 'which was deleted', 'RETENTION-DELETE');
          else await policies.expect(id, version, 'RETENTION-SEPARATE');
        }
        await policies.expectListed(expected, 'RETENTION-SEPARATE');
      };
      await checkAll();
      for (const index of [5, 1, 11]) {
        const id = ids[index]!;
        await policies.remove(id);
        expected.set(id, undefined);
        await checkAll();
      }
      await policies.set(ids[7]!, base + 100n, 200);
      expected.set(ids[7]!, base + 100n);
      await policies.set(ids[5]!, base + 200n, 201);
      expected.set(ids[5]!, base + 200n);
      await checkAll();
    },
  ),
  test(
    'delete-none',
    'DELETE of a policy that does not exist answers 204 or 404, and nothing else changes.',
    ['RETENTION-DELETE-NONE'],
    async (t, policies) => {
      const [id, none] = [t.policyId('a'), t.policyId('b')];
      const expected = new Map<string, bigint | undefined>([
        [id, ahead(t)],
        [none, undefined],
      ]);
      await policies.set(id, expected.get(id)!, 201);
      for (let time = 0; time < 2; time += 1) {
        for (const missing of [none, `${id}a`, id.slice(0, -1)]) {
          const { status } = await policies.delete(missing);
          t.check(
            'RETENTION-DELETE-NONE',
            status === 204 || status === 404,
            `DELETE of policy ${missing}, which does not exist, answered ${status}`,
          );
        }
      }
      await policies.expectNone(none, 'which was deleted though it did not exist', 'RETENTION-DELETE-NONE');
      await policies.expectListed(expected, 'RETENTION-DELETE-NONE');
    },
  ),
  test(
    'ids',
    'A policy_id is told apart from those that are like it: by case, by length, by punctuation, by its last character.',
    ['RETENTION-ID', 'RETENTION-SEPARATE'],
    async (t, policies) => {
      const stem = t.policyId();
      const base = ahead(t);
      const expected = new Map<string, bigint>();
      for (const [index, ending] of LIKE_ENDINGS.entries()) {
        const id = stem + ending;
        const version = base + BigInt(index);
        if (isPlain(id))
          await policies.expectNone(id, 'which was not set, unlike some like it', 'RETENTION-ID');
        if (await createUnusual(t, policies, id, version)) expected.set(id, version);
      }
      for (const [id, version] of expected) await policies.expect(id, version, 'RETENTION-ID');
      await policies.expectListed(expected, 'RETENTION-ID');
      const [deleted, kept] = [
        [...expected].filter((_, index) => index % 2 === 0),
        [...expected].filter((_, index) => index % 2 === 1),
      ];
      for (const [id] of deleted) await policies.remove(id);
      for (const [id] of deleted) await policies.expectNone(id, 'which was deleted', 'RETENTION-ID');
      for (const [id, version] of kept) await policies.expect(id, version, 'RETENTION-SEPARATE');
      await policies.expectListed(new Map(kept), 'RETENTION-SEPARATE');
    },
  ),
  test(
    'ids-percent-encoded',
    'A policy_id is percent-decoded: it is the same policy however its path is written.',
    ['RETENTION-ID', 'RETENTION-ID-UNUSUAL'],
    async (t, policies) => {
      for (const id of [t.policyId('plain'), t.policyId('a.b_c~d-E')]) {
        let version = ahead(t);
        if (!(await createUnusual(t, policies, id, version))) continue;
        const percent = (char: string): string => `%${char.charCodeAt(0).toString(16)}`;
        for (const written of [
          id.slice(0, -1) + percent(id.slice(-1)),
          percent(id) + id.slice(1),
          [...id].map(percent).join(''),
          [...id].map((char) => percent(char).toUpperCase()).join(''),
          id.replace(/[^a-z]/g, percent),
        ]) {
          const path = `/v1/retention/${written}`;
          const found = await policies.getPath(path);
          t.check(
            'RETENTION-ID',
            found === version,
            `policy ${id} is set to ${version}, and GET ${path} answers ${found ?? '404'}`,
          );
          version += 1n;
          const { status } = await policies.putPath(path, version);
          t.check(
            'RETENTION-ID',
            status === 200,
            `PUT ${path} answered ${status}, although policy ${id} existed`,
          );
          await policies.expect(id, version, 'RETENTION-ID');
        }
        await policies.expectListed(new Map([[id, version]]), 'RETENTION-ID');
      }
    },
  ),
  test(
    'ids-of-other-forms',
    'Ids of digits only, long ones, and names that languages use themselves, are ids like others.',
    ['RETENTION-ID', 'RETENTION-GET-NONE', 'RETENTION-ID-UNUSUAL'],
    async (t, policies) => {
      const listed = new Set((await policies.list()).map(({ id }) => id));
      for (const id of INHERITED.filter((name) => !listed.has(name))) {
        const { status } = await t.api.raw('GET', `/v1/retention/${id}`);
        t.check(
          'RETENTION-GET-NONE',
          status === 404 || isUnavailable(status) || (status === 400 && !isPlain(id)),
          `GET of policy ${id}, which was never set, answered ${status}`,
        );
      }
      const digits = `1${Array.from({ length: 30 }, () => randomInt(10)).join('')}`;
      const long = t.policyId('x'.repeat(60));
      const expected = new Map<string, bigint>();
      // Some differ in their last character only, and name the same number.
      for (const id of ['__proto__', digits, `${digits}0`, `0${digits}`, `${long}1`, `${long}2`]) {
        const version = ahead(t) + BigInt(expected.size);
        if (!listed.has(id) && (await createUnusual(t, policies, id, version))) expected.set(id, version);
      }
      for (const [id, version] of expected) await policies.expect(id, version, 'RETENTION-ID');
      await policies.expectListed(expected, 'RETENTION-ID');
      for (const id of expected.keys()) {
        await policies.remove(id);
        await policies.expectNone(id, 'which was deleted', 'RETENTION-ID');
      }
    },
  ),
  test(
    'created-at-once',
    'Of several PUTs that create one policy at the same moment, one answers 201 and all others 200; then it is deleted so.',
    ['RETENTION-CREATE-ONCE', 'RETENTION-UPDATE', 'RETENTION-GET', 'RETENTION-DELETE'],
    async (t, policies) => {
      for (let round = 0; round < t.scale(4, 12); round += 1) {
        const id = t.policyId(`-${round}`);
        const versions = Array.from({ length: 8 }, (_, index) => ahead(t) + BigInt(index));
        const answers = await Promise.all(versions.map((version) => policies.put(id, version)));
        const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length;
        // An answer that did not come may have been that 201.
        const isLost = answers.some(({ mayBeRepeated }) => mayBeRepeated);
        t.check(
          'RETENTION-CREATE-ONCE',
          count(201) === 1 || (isLost && count(201) === 0),
          () => `8 PUTs of one new policy at once answered ${answers.map(({ status }) => status).join(', ')}`,
        );
        t.check(
          'RETENTION-UPDATE',
          count(200) + count(201) === answers.length,
          () => `8 PUTs of one new policy at once answered ${answers.map(({ status }) => status).join(', ')}`,
        );
        const found = await policies.get(id);
        t.check(
          'RETENTION-GET',
          found !== undefined && versions.includes(found),
          `a policy was set to ${versions[0]} ... ${versions.at(-1)}, and GET answers ${found ?? '404'}`,
        );
        const deletions = await Promise.all(versions.map(() => policies.delete(id)));
        t.check(
          'RETENTION-DELETE',
          deletions.every(({ status }) => status === 204 || status === 404),
          () =>
            `8 DELETEs of one policy at once answered ${deletions.map(({ status }) => status).join(', ')}`,
        );
        await policies.expectNone(id, 'which was deleted', 'RETENTION-DELETE');
      }
    },
  ),
  test(
    'many-at-once',
    'Policies that are created, updated and deleted at the same moment do not get lost.',
    ['RETENTION-SEPARATE', 'RETENTION-CREATE', 'RETENTION-UPDATE', 'RETENTION-DELETE', 'RETENTION-LIST'],
    async (t, policies) => {
      const base = ahead(t);
      for (let round = 0; round < t.scale(2, 5); round += 1) {
        const ids = Array.from({ length: 12 }, (_, index) => t.policyId(`-${round}-${index}`));
        const at = (index: number, step: number): bigint => base + BigInt(index + step);
        await Promise.all(ids.map((id, index) => policies.set(id, at(index, 0), 201)));
        await policies.expectListed(
          new Map(ids.map((id, index) => [id, at(index, 0)])),
          'RETENTION-SEPARATE',
        );
        await Promise.all(ids.map((id, index) => policies.set(id, at(index, 50), 200)));
        await policies.expectListed(
          new Map(ids.map((id, index) => [id, at(index, 50)])),
          'RETENTION-SEPARATE',
        );
        await Promise.all(
          ids.map((id, index) =>
            index % 2 === 0 ? policies.remove(id) : policies.set(id, at(index, 100), 200),
          ),
        );
        await policies.expectListed(
          new Map(ids.map((id, index) => [id, index % 2 === 0 ? undefined : at(index, 100)])),
          'RETENTION-SEPARATE',
        );
      }
    },
  ),
  test(
    'many',
    'However many policies there are, the list has all of them.',
    ['RETENTION-LIST', 'RETENTION-CREATE', 'RETENTION-DELETE'],
    async (t, policies) => {
      const base = ahead(t);
      const expected = new Map(
        Array.from({ length: t.scale(30, 130) }, (_, index) => [
          t.policyId(`-${index}`),
          base + BigInt(index),
        ]),
      );
      await t.each([...expected], 8, ([id, version]) => policies.set(id, version, 201));
      await policies.expectListed(expected);
      await t.each([...expected.keys()], 8, (id) => policies.remove(id));
      await policies.expectListed(
        new Map([...expected.keys()].map((id) => [id, undefined])),
        'RETENTION-DELETE',
      );
    },
  ),
  test(
    'malformed',
    'A PUT whose body is not an object with an integer prevent_truncate gets some 4xx, and stores nothing.',
    ['RETENTION-MALFORMED'],
    async (t, policies) => {
      const existing = t.policyId('existing');
      const version = ahead(t);
      await policies.set(existing, version, 201);
      for (const [name, body] of BAD_BODIES) {
        const absent = t.policyId();
        for (const id of [absent, existing]) {
          const { status } = await policies.putBody(id, body);
          t.check(
            'RETENTION-MALFORMED',
            status >= 400 && status < 500,
            `a PUT of ${name} answered ${status}`,
          );
          if (status >= 400) {
            const found = await policies.get(id);
            t.check(
              'RETENTION-MALFORMED',
              found === (id === existing ? version : undefined),
              `a PUT of ${name} answered ${status}, and the policy is set to ${found ?? 'nothing'} then`,
            );
          }
        }
        if ((await policies.get(existing)) !== version) await policies.set(existing, version, 200);
      }
    },
  ),
  test(
    'ids-unusual',
    'An id that needs percent-encoding may be refused; one that is accepted is kept as it is.',
    ['RETENTION-ID-UNUSUAL', 'RETENTION-ID'],
    async (t, policies) => {
      const seen = new Map<string, string[]>();
      const saw = (outcome: string, ending: string): void => {
        const name = ending.length > 8 ? `with ${ending.length} characters more` : toJson(ending);
        seen.set(outcome, [...(seen.get(outcome) ?? []), name]);
      };
      const stem = t.policyId();
      const expected = new Map<string, bigint>();
      for (const [index, ending] of UNUSUAL_ENDINGS.entries()) {
        const version = ahead(t) + BigInt(index);
        const { status } = await policies.put(stem + ending, version);
        saw(status < 300 ? 'accepted' : `answered ${status}`, ending);
        // What an encoded slash is in a path is a matter of dispute.
        if (status < 300 && !ending.includes('/')) expected.set(stem + ending, version);
      }
      for (const [outcome, names] of seen) t.saw('RETENTION-ID-UNUSUAL', `${outcome}: ${names.join(' ')}`);
      for (const [id, version] of expected) await policies.expect(id, version, 'RETENTION-ID');
      await policies.expectListed(expected, 'RETENTION-ID');
      for (const id of expected.keys()) await policies.remove(id);
      for (const id of expected.keys()) await policies.expectNone(id, 'which was deleted', 'RETENTION-ID');
    },
  ),
];
