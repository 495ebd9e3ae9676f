import { randomBytes } from 'node:crypto';
import { isUnavailable } from '../api/decode.js';
import type { KeySpace } from '../model/key-space.js';
import { type Operation, operationJson, transactionJson, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { type Bytes, fromBase64, toBase64 } from '../wire/bytes.js';
import { NoAnswer } from '../wire/http.js';
import { toJson } from '../wire/json.js';
import { commitOrRefusal } from './commit-or-refusal.js';
import { LogReader } from './log-reader.js';
import { type HowToSend, readBodyAnswer, sendBody } from './send-body.js';
import { showsWrite } from './shows-write.js';

/** Larger bodies than this would take longer to send than they tell. */
const LARGEST_BODY = 32 * 1024 * 1024;

const REJECTIONS = 5;

/** The body of a commit of one write, filled up to `size` bytes. */
type Fill = (
  body: { requestId: string; leaderId: string; readVersion: bigint; key: Bytes },
  size: number,
) => string;

function bodyWith(value: string, { requestId, leaderId, readVersion, key }: Parameters<Fill>[0]): string {
  return toJson({
    request_id: requestId,
    leader_id: leaderId,
    read_version: readVersion,
    operations: [{ type: 'write', key: toBase64(key), value }],
  });
}

const withSpaces = (body: string, size: number): string => {
  const length = Buffer.byteLength(body);
  if (length > size) throw new RangeError(`a commit does not fit into ${size} bytes`);
  return body + ' '.repeat(size - length);
};

const FILLS: readonly { readonly name: string; readonly fill: Fill }[] = [
  { name: 'white space', fill: (body, size) => withSpaces(bodyWith('dmFs', body), size) },
  {
    name: 'a large value',
    fill: (body, size) => {
      const room = size - Buffer.byteLength(bodyWith('', body));
      return withSpaces(bodyWith('dmFs'.repeat(Math.max(0, Math.floor(room / 4))), body), size);
    },
  },
];

const twoByteLetters = (size: number): string => '\u00e9'.repeat(Math.floor(size * 0.4));

/** Of fewer characters than bytes: the letters stand in a field that nobody knows, and in a leader_id. */
const WIDE_FILLS: readonly Fill[] = [
  (body, size) =>
    withSpaces(bodyWith('', body).replace('{', `{"unknown_field":"${twoByteLetters(size)}",`), size),
  (body, size) => withSpaces(bodyWith('', { ...body, leaderId: twoByteLetters(size) }), size),
];

/** Without a declared length. */
const CHUNKED: HowToSend = { chunked: true };

/** Skips where not even a small commit fits, or the limit is too large to be tried. */
function limitOf(t: TestContext): number {
  const limit = t.hooks.maxCommitBytes!;
  if (limit < 1024) t.skip(`a limit of ${limit} bytes leaves no room`);
  if (limit >= LARGEST_BODY) t.skip(`a limit of ${limit} bytes takes too long to fill`);
  return limit;
}

/** Sends a body above the limit; nothing but 413, or a connection that is closed, may come of it. @throws Violation */
async function expectTooLarge(
  t: TestContext,
  name: string,
  bodyFor: () => string,
  tolerated: readonly number[],
  how: HowToSend = {},
): Promise<void> {
  for (let tries = 0; tries < 4 * REJECTIONS; tries += 1) {
    const started = performance.now();
    try {
      const answer = await t.api.raw('POST', '/v1/commit', {
        headers: { 'content-type': 'application/json' },
        body: bodyFor(),
        freshConnection: true,
        ...how,
      });
      const { status } = answer;
      if (status === 413 || tolerated.includes(status)) return;
      // One that reads it as it comes may see first that the leader has changed.
      const isRejected = readBodyAnswer(answer).kind === 'not_committed' && tries < REJECTIONS;
      if (!isRejected && !isUnavailable(status))
        throw new Violation(
          'COMMIT-SIZE-LIMIT',
          `${name}, above the limit, was answered ${status} instead of 413`,
        );
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      // A server may close the connection rather than read what it will not take.
      if (performance.now() - started < t.options.patienceMs) return;
      throw new Violation('COMMIT-SIZE-LIMIT', `${name}, above the limit, was neither answered nor cut off`);
    }
    await t.now();
  }
  t.giveUp('the server stayed unavailable');
}

async function atTheLimit(t: TestContext, how: HowToSend): Promise<void> {
  const limit = limitOf(t);
  const space = t.space();
  const reader = await LogReader.open(t);
  for (const { name, fill } of FILLS) {
    for (const size of [limit, limit - 1]) {
      const key = space.key(`${name}${size}`);
      let body = '';
      const answer = await sendBody(
        t,
        'COMMIT-SIZE-LIMIT',
        ({ leaderId, version: readVersion }, requestId) => {
          body = fill({ requestId, leaderId, readVersion, key }, size);
          return body;
        },
        { freshConnection: true, ...how },
      );
      const what = `a body of ${size} bytes, filled with ${name}, with a limit of ${limit}`;
      if (how.chunked === true) {
        t.saw('COMMIT-SIZE-LIMIT', `chunked, below the limit: ${answer.kind} (${answer.status})`);
        t.check('COMMIT-SIZE-LIMIT', answer.status !== 413, `${what}, sent in chunks, was answered 413`);
        if (answer.version === undefined) continue;
      }
      if (answer.version === undefined)
        throw new Violation('COMMIT-SIZE-LIMIT', `${what}, was answered ${answer.status}`);
      const { operations } = JSON.parse(body) as { operations: [{ value: string }] };
      const event = await reader.at(answer.version);
      t.check(
        'EVENT-OPERATIONS',
        showsWrite(event, key, fromBase64(operations[0].value) ?? ''),
        `the value of ${what}, was not streamed as it was sent`,
      );
    }
  }
}

async function aboveTheLimit(t: TestContext, how: HowToSend): Promise<void> {
  const limit = limitOf(t);
  const [space, ownSpace] = [t.space(), t.space()];
  const reader = await LogReader.open(t);
  const sent = new Set<string>();
  const tolerated = how.chunked === true ? [411] : [];
  const bodyOf = (fill: Fill, size: number) => (): string => {
    const requestId = t.requestId();
    sent.add(requestId);
    return fill({ requestId, leaderId: t.leaderId, readVersion: t.committed, key: space.key('k') }, size);
  };
  for (const { name, fill } of FILLS) {
    for (const size of [limit + 1, limit + 4, limit * 2, limit * 10]) {
      if (size > LARGEST_BODY) continue;
      const what = `a body of ${size} bytes, filled with ${name}`;
      await expectTooLarge(t, what, bodyOf(fill, size), tolerated, how);
      await t.write([write(ownSpace.key('after'), `${size}`)], ownSpace);
    }
  }
  for (const fill of WIDE_FILLS) {
    // A server that reads it as it comes may stumble over something else first.
    const statuses = [...tolerated, 400];
    await expectTooLarge(t, 'a body of more bytes than characters', bodyOf(fill, limit + 1), statuses, how);
  }
  for (const event of await reader.upToNow(ownSpace)) {
    t.check(
      'COMMIT-SIZE-LIMIT',
      !sent.has(event.requestId),
      `the log has, at version ${event.version}, a commit that was above the limit`,
    );
  }
}

/** Commits something large that no sensible limit is below. @throws Violation, Skip */
async function commitLarge(t: TestContext, operations: readonly Operation[], space: KeySpace): Promise<void> {
  const reader = await LogReader.open(t);
  const outcome = await commitOrRefusal(t, () => ({ operations }), space);
  if (outcome.kind === 'refused') {
    const mayBeTooLarge = toJson(operations.map(operationJson)).length + 1000 > (t.hooks.maxCommitBytes ?? 0);
    if (outcome.httpStatus === 413 && mayBeTooLarge) {
      t.saw('COMMIT-SIZE-LIMIT', `413 to ${operations.length} operations`);
      t.skip('the server takes no commit of this size');
    }
    throw new Violation(
      outcome.httpStatus === 413 ? 'COMMIT-SIZE-LIMIT' : 'COMMIT-WRITE',
      `a well-formed commit was refused with ${outcome.httpStatus}`,
    );
  }
  await reader.at(outcome.version);
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** An id of its own; not reproducible on purpose, since an id must never be used again. */
function idOf(length: number, letters: string): string {
  return [...randomBytes(length)].map((byte) => letters[byte % letters.length]!).join('');
}

const TWO_BYTE_LETTERS = Array.from({ length: 64 }, (_, index) => String.fromCharCode(0xe0 + index)).join('');

/**
 * Whether an id of `length` is accepted: `true`, or the status with which it is refused. Such ids are not
 * noted down with the other commits of the run: their status cannot be asked for where they are malformed.
 */
async function isAccepted(
  t: TestContext,
  space: KeySpace,
  length: number,
  letters = LETTERS,
): Promise<true | number> {
  // Of the shortest ids there are so few that one may have been used before.
  const tries = length === 0 ? 1 : length < 4 ? 6 : 1;
  const operations = [write(space.key(`${length}`), 'x')];
  let status = 0;
  for (let index = 0; index < tries; index += 1) {
    const answer = await sendBody(t, 'COMMIT-REQUEST-ID-LENGTH', ({ leaderId, version: readVersion }) =>
      toJson(transactionJson({ requestId: idOf(length, letters), leaderId, readVersion, operations })),
    );
    if (answer.kind === 'committed') return true;
    status = answer.status;
  }
  return status;
}

async function expectTooShort(
  t: TestContext,
  space: KeySpace,
  length: number,
  least: number,
  letters = LETTERS,
): Promise<void> {
  const outcome = await isAccepted(t, space, length, letters);
  t.check(
    'COMMIT-REQUEST-ID-LENGTH',
    outcome === 400,
    `a request_id of ${length} ${letters === LETTERS ? '' : 'two-byte '}characters was ${
      outcome === true ? 'accepted' : `answered ${outcome}`
    }, with a minimum of ${least}: expected 400`,
  );
}

/** Characters count, not bytes. */
async function countsCharacters(t: TestContext, space: KeySpace, least: number): Promise<void> {
  if (least > 1) await expectTooShort(t, space, least - 1, least, TWO_BYTE_LETTERS);
  if (least > 0) {
    const outcome = await isAccepted(t, space, least, TWO_BYTE_LETTERS);
    t.saw(
      'COMMIT-REQUEST-ID-UNUSUAL',
      `${least} letters outside ASCII: ${outcome === true ? 'accepted' : `answered ${outcome}`}`,
    );
  }
}

/** Thresholds that are rather a mistake than a configuration: no minimum, or one beside the default. */
const SUSPICIOUS: readonly number[] = [0, 1, 19, 21];
const LONGEST_PROBED = 24;

export const commitLimitTests: readonly Test[] = [
  {
    name: 'commit/size/at-the-limit',
    title: 'A commit of exactly the configured size is accepted, whatever makes up the size.',
    requirements: ['COMMIT-SIZE-LIMIT', 'EVENT-OPERATIONS'],
    needs: ['maxCommitBytes'],
    run: (t) => atTheLimit(t, {}),
  },
  {
    name: 'commit/size/at-the-limit-chunked',
    title: 'A commit of exactly the configured size that is sent in chunks does not get 413.',
    requirements: ['COMMIT-SIZE-LIMIT', 'EVENT-OPERATIONS'],
    needs: ['maxCommitBytes'],
    run: (t) => atTheLimit(t, CHUNKED),
  },
  {
    name: 'commit/size/above-the-limit',
    title:
      'A commit above the configured size, by one byte or many, gets 413, has no effect, and the server goes on.',
    requirements: ['COMMIT-SIZE-LIMIT'],
    needs: ['maxCommitBytes'],
    run: (t) => aboveTheLimit(t, {}),
  },
  {
    name: 'commit/size/above-the-limit-chunked',
    title: 'The same where the commit is sent in chunks, without its length being declared.',
    requirements: ['COMMIT-SIZE-LIMIT'],
    needs: ['maxCommitBytes'],
    run: (t) => aboveTheLimit(t, CHUNKED),
  },
  {
    name: 'commit/size/large-value',
    title: 'A value of 48 KiB commits and is streamed as it is.',
    requirements: ['COMMIT-WRITE', 'COMMIT-SIZE-LIMIT'],
    run: (t) => {
      const space = t.space();
      return commitLarge(t, [write(space.key('k'), t.bytes(48 * 1024))], space);
    },
  },
  {
    name: 'commit/size/many-operations',
    title: 'A commit of 200 operations commits and is streamed as it is.',
    requirements: ['COMMIT-WRITE', 'COMMIT-SIZE-LIMIT'],
    run: (t) => {
      const space = t.space();
      const operations = Array.from({ length: 200 }, (_, index) =>
        write(space.key(`${index}`), `value ${index}`),
      );
      return commitLarge(t, operations, space);
    },
  },
  {
    name: 'commit/size/long-keys',
    title: 'Keys of 1 KiB that differ in their last byte commit and are streamed as they are.',
    requirements: ['COMMIT-WRITE', 'COMMIT-SIZE-LIMIT'],
    run: (t) => {
      const space = t.space();
      const long = space.key('k'.repeat(1024));
      return commitLarge(
        t,
        ['a', 'b', '\0', '\xff'].map((last) => write(long + last, last)),
        space,
      );
    },
  },
  {
    name: 'commit/request-id-length/configured',
    title: 'A request_id of the configured length, in characters, is accepted, and a shorter one gets 400.',
    requirements: ['COMMIT-REQUEST-ID-LENGTH'],
    needs: ['minRequestIdLength'],
    run: async (t) => {
      const space = t.space();
      const least = t.hooks.minRequestIdLength!;
      for (const length of [least, least + 1, least * 2]) {
        if (length === 0) continue;
        const outcome = await isAccepted(t, space, length);
        t.check(
          'COMMIT-REQUEST-ID-LENGTH',
          outcome === true,
          `a request_id of ${length} characters was answered ${outcome}, with a minimum of ${least}`,
        );
      }
      const short = new Set([least - 1, least - 2, Math.floor(least / 2), 1, 0]);
      for (const length of short) {
        if (length >= 0 && length < least) await expectTooShort(t, space, length, least);
      }
      await countsCharacters(t, space, least);
    },
  },
  {
    name: 'commit/request-id-length/default',
    title: 'Without configuration, a request_id of 20 characters is accepted, and one of 19 gets 400.',
    requirements: ['COMMIT-REQUEST-ID-LENGTH'],
    run: async (t) => {
      if (t.hooks.minRequestIdLength !== undefined) t.skip('the minimum is configured');
      const space = t.space();
      const lengths = Array.from({ length: LONGEST_PROBED + 1 }, (_, length) => length);
      const outcomes: (true | number)[] = [];
      await t.each(lengths, 5, async (length) => {
        outcomes[length] = await isAccepted(t, space, length);
      });
      const least = outcomes.indexOf(true);
      if (least === -1) {
        t.saw(
          'COMMIT-REQUEST-ID-LENGTH',
          `the minimum is configured to be above ${LONGEST_PROBED} characters`,
        );
        return;
      }
      for (const [length, outcome] of outcomes.entries()) {
        const expected = length < least ? 400 : true;
        t.check(
          'COMMIT-REQUEST-ID-LENGTH',
          outcome === expected,
          `a request_id of ${least} characters was accepted, and one of ${length} was answered ${outcome}`,
        );
      }
      t.check(
        'COMMIT-REQUEST-ID-LENGTH',
        !SUSPICIOUS.includes(least),
        `the shortest request_id that is accepted has ${least} characters, and not 20, the default; if the server is configured so, pass --min-request-id-length ${least}`,
      );
      if (least !== 20)
        t.saw('COMMIT-REQUEST-ID-LENGTH', `the minimum is configured to be ${least} characters`);
      await countsCharacters(t, space, least);
    },
  },
];
