import type { StatusAnswer } from '../api/answers.js';
import { decodeStatus } from '../api/decode.js';
import type { KeySpace } from '../model/key-space.js';
import { write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { Build, Commit, TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { toJson } from '../wire/json.js';
import { blame } from './blame.js';
import { checkStatus } from './check-status.js';
import { commitOrRefusal } from './commit-or-refusal.js';
import { LogReader } from './log-reader.js';
import { REQUEST_ID_PAIRS, type RequestIdPair, SPECIAL_TEXTS } from './request-id-pairs.js';
import { sendBody } from './send-body.js';

const withId =
  (make: () => string, key: string): Build =>
  () => ({ requestId: make(), operations: [write(key, 'x')] });

/**
 * Commits with a request_id that `make` gives, each time a different one; undefined where the server does not
 * take such ids, which is recorded under `name`.
 */
async function commitUnusual(
  t: TestContext,
  name: string,
  make: () => string,
  space: KeySpace,
): Promise<Commit | undefined> {
  const outcome = await commitOrRefusal(t, withId(make, space.key('k')), space);
  if (outcome.kind === 'committed') return outcome;
  t.saw('COMMIT-REQUEST-ID-UNUSUAL', `${name}: answered ${outcome.httpStatus}`);
  return undefined;
}

/** An id that is answered otherwise was not kept as it was. */
const intact = <T>(work: () => Promise<T>): Promise<T> =>
  blame('COMMIT-REQUEST-ID-INTACT', ['COMMIT-ANSWER-REQUEST-ID'], work);

/** The status of an id that was never sent; undefined where the server does not take such an id here either. */
async function statusOfStranger(
  t: TestContext,
  requestId: string,
  minVersion: bigint,
): Promise<StatusAnswer | undefined> {
  const query = `request_id=${encodeURIComponent(requestId)}&min_version=${minVersion}`;
  const answer = await t.api.raw('GET', `/v1/status?${query}`);
  return answer.status >= 400 && answer.status < 500 ? undefined : decodeStatus(answer);
}

/** Only the id that committed is found, and not one that is like it. @throws Violation */
async function findOnlyOne(
  t: TestContext,
  { name, one, other }: RequestIdPair,
  space: KeySpace,
): Promise<void> {
  const minVersion = t.committed;
  let stem = '';
  const make = (): string => {
    stem = t.requestId();
    return one(stem);
  };
  if ((await commitUnusual(t, `one of a pair with ${name}`, make, space)) === undefined) return;
  const status = await statusOfStranger(t, other(stem), minVersion);
  t.check(
    'STATUS-ID-EXACT',
    status?.kind !== 'committed',
    () =>
      `${toJson(one(stem))} committed, and ${toJson(other(stem))}, which was never sent, has its status (${name})`,
  );
}

/** Two ids that are like each other can both be used. @throws Violation */
async function commitBoth(
  t: TestContext,
  { name, one, other }: RequestIdPair,
  space: KeySpace,
): Promise<void> {
  const minVersion = t.committed;
  const operations = [write(space.key('k'), 'x')];
  for (let tries = 0; tries < 20; tries += 1) {
    let stem = '';
    const make = (): string => {
      stem = t.requestId();
      return one(stem);
    };
    const first = await commitUnusual(t, `one of a pair with ${name}`, make, space);
    if (first === undefined) return;
    const { leaderId, version: readVersion } = await t.now();
    // Sent once only: what was rejected must not be sent again under the same id.
    const second = await t.api.commit(
      { requestId: other(stem), leaderId, readVersion, operations },
      space.name,
    );
    if (second.kind === 'refused') {
      const alone = await commitUnusual(t, `one of a pair with ${name}`, () => other(t.requestId()), space);
      t.check(
        'COMMIT-REQUEST-ID-INTACT',
        alone === undefined,
        () =>
          `${toJson(one(stem))} committed, and ${toJson(other(stem))} was refused with ${second.httpStatus} then, although such ids are taken (${name})`,
      );
      return;
    }
    if (second.kind !== 'committed') continue;
    for (const [requestId, version] of [
      [one(stem), first.version],
      [other(stem), second.version],
    ] as const) {
      checkStatus(t, 'STATUS-ID-EXACT', requestId, await t.api.status(requestId, minVersion), version);
    }
    return;
  }
  t.giveUp('20 retries did not get a transaction through');
}

const lowerHex = (text: string): string =>
  encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase());

const everyByte = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

/** What one request_id is, and another one is not. */
export const requestIdIdentityTests: readonly Test[] = [
  {
    name: 'commit/request-id/intact',
    title: 'A request_id that is accepted is answered, streamed and found character by character.',
    requirements: [
      'COMMIT-REQUEST-ID-INTACT',
      'COMMIT-REQUEST-ID-UNUSUAL',
      'STATUS-ID-ENCODING',
      'COMMIT-ANSWER-REQUEST-ID',
    ],
    run: async (t) => {
      const space = t.space();
      const reader = await LogReader.open(t);
      const minVersion = t.committed;
      const commits: Commit[] = [];
      const refused: string[] = [];
      await t.each(SPECIAL_TEXTS, 6, async (text) => {
        for (const make of [
          () => `${text}${t.requestId()}${text}z${text}`,
          () => `${t.requestId()}${text}z`,
        ]) {
          const outcome = await commitOrRefusal(t, withId(make, space.key('k')), space);
          if (outcome.kind === 'committed') {
            commits.push(outcome);
            return;
          }
          refused.push(`${toJson(text)} (${outcome.httpStatus})`);
        }
      });
      t.saw(
        'COMMIT-REQUEST-ID-UNUSUAL',
        refused.length === 0
          ? 'all special characters are accepted'
          : `refused: ${[...new Set(refused)].join(' ')}`,
      );
      for (const { transaction, version } of commits) {
        const requestId = transaction.requestId!;
        const event = await reader.at(version);
        t.check(
          'COMMIT-REQUEST-ID-INTACT',
          event.requestId === requestId,
          () =>
            `${toJson(requestId)} committed at ${version}, and the log has ${toJson(event.requestId)} there`,
        );
      }
      await t.each(commits, 6, async ({ transaction, version }) => {
        const requestId = transaction.requestId!;
        checkStatus(t, 'STATUS-ID-ENCODING', requestId, await t.api.status(requestId, minVersion), version);
      });
    },
  },
  {
    name: 'commit/request-id/escaped',
    title: 'A request_id that is written with the escapes of JSON is the same as without.',
    requirements: ['COMMIT-REQUEST-ID-INTACT'],
    run: async (t) => {
      const space = t.space();
      const reader = await LogReader.open(t);
      for (const text of ['a', '/', '\u00e9', '\u{1f600}']) {
        let sent = '';
        const answer = await sendBody(t, 'COMMIT-REQUEST-ID-INTACT', ({ leaderId, version }, requestId) => {
          sent = requestId + text;
          const id = sent.replace(
            /[^0-9b-f-]/g,
            (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
          );
          return `{"leader_id":${toJson(leaderId)},"read_version":${version},"operations":[],"request_id":"${id}"}`.replace(
            '[]',
            `[{"type":"delete","key":"${Buffer.from(space.key('k'), 'latin1').toString('base64')}"}]`,
          );
        });
        if (answer.version === undefined) {
          t.saw('COMMIT-REQUEST-ID-UNUSUAL', `${toJson(text)}, escaped: answered ${answer.status}`);
          t.check(
            'COMMIT-REQUEST-ID-INTACT',
            text !== 'a',
            `an escaped letter was answered ${answer.status}`,
          );
          continue;
        }
        const event = await reader.at(answer.version);
        t.check(
          'COMMIT-REQUEST-ID-INTACT',
          event.requestId === sent,
          () => `${toJson(sent)}, written with escapes, is ${toJson(event.requestId)} in the log`,
        );
      }
    },
  },
  {
    name: 'commit/request-id/told-apart',
    title: 'Request_ids that differ in one character, in case, in length or in form are different ones.',
    requirements: ['STATUS-ID-EXACT', 'COMMIT-REQUEST-ID-INTACT', 'COMMIT-REQUEST-ID-UNUSUAL'],
    run: async (t) => {
      const space = t.space();
      await t.write([write(space.key('start'), 'x')], space);
      await t.each(REQUEST_ID_PAIRS, 6, (pair) =>
        intact(async () => {
          await findOnlyOne(t, pair, space);
          await commitBoth(t, pair, space);
        }),
      );
    },
  },
  {
    name: 'status/encoding',
    title:
      'A status is found however the request_id is percent-encoded, and in whichever order the parameters are.',
    requirements: ['STATUS-ID-ENCODING'],
    run: async (t) => {
      const space = t.space();
      const minVersion = (await t.write([write(space.key('start'), 'x')], space)).version;
      for (const text of [
        '',
        '&a=b',
        '&min_version=0',
        'a+b',
        'a b',
        '%',
        '%2F',
        '#a',
        '/a?b',
        ';a',
        '"\\',
        '\u00e9',
        '\u{1f600}',
      ]) {
        const commit = await commitUnusual(t, toJson(text), () => t.requestId() + text, space);
        if (commit === undefined) continue;
        const { version, transaction } = commit;
        const requestId = transaction.requestId!;
        for (const encode of [encodeURIComponent, lowerHex, everyByte]) {
          const [id, min] = [`request_id=${encode(requestId)}`, `min_version=${minVersion}`];
          for (const query of [`${id}&${min}`, `${min}&${id}`]) {
            const answer = await t.api.raw('GET', `/v1/status?${query}`);
            if (answer.status >= 400 && answer.status < 500)
              throw new Violation('STATUS-ID-ENCODING', `GET /v1/status?${query} answered ${answer.status}`);
            checkStatus(t, 'STATUS-ID-ENCODING', requestId, decodeStatus(answer), version);
          }
        }
      }
    },
  },
];
