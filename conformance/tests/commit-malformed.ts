import { isUnavailable } from '../api/decode.js';
import type { KeySpace } from '../model/key-space.js';
import type { LogEvent } from '../model/log-view.js';
import { pointRead, rangeRead, readOperation, removeRange, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { Build, TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { show as showBytes, toBase64 } from '../wire/bytes.js';
import { toJson } from '../wire/json.js';
import { commitOrRefusal } from './commit-or-refusal.js';
import { JSON_FORMS, LENIENCIES } from './json-forms.js';
import { LogReader } from './log-reader.js';
import {
  aligned,
  BAD_FIELDS,
  BAD_LEADER,
  BAD_OPERATIONS,
  BAD_READ_VERSION,
  BAD_TYPES,
  BEHIND_MANY,
  DEEPLY_NESTED,
  EMPTY_RANGES,
  type MalformedCommit,
  NEIGHBOURS,
  NOT_BASE64,
  NOT_JSON,
  wellFormed,
} from './malformed-commits.js';
import { type BodyAnswer, sendBody, show } from './send-body.js';
import { showsWrite } from './shows-write.js';

/** Sends one malformed request, and gives the request_ids that it was sent with. @throws Violation */
async function expectRefusal(
  t: TestContext,
  requirement: string,
  space: KeySpace,
  { name, spoil }: MalformedCommit,
): Promise<readonly string[]> {
  const sent: string[] = [];
  let body: string | Buffer = '';
  const answer = await sendBody(t, requirement, ({ leaderId, version }, requestId) => {
    sent.push(requestId);
    body = spoil(wellFormed(space, leaderId, version, requestId), space);
    return body;
  });
  // A server may have a smaller limit than the suite knows of.
  const isTooLarge = (name === DEEPLY_NESTED || body.length > LONG_BODY) && answer.status === 413;
  t.check(
    requirement,
    answer.status === 400 || isTooLarge,
    () => `${name} was answered ${described(answer)} instead of 400: ${show(body)}`,
  );
  return sent;
}

/** Bodies above this many bytes may be too large for a server. */
const LONG_BODY = 4_096;

const described = ({ status, kind }: BodyAnswer): string =>
  kind === 'committed' || kind === 'not_committed' ? `${status} ${kind}` : `${status}`;

/** Whether an event shows an operation on a key of `space`; false where its operations have another shape. */
const touches = (event: LogEvent, space: KeySpace): boolean =>
  event.operations.map(readOperation).some((operation) => {
    if (typeof operation === 'string') return false;
    return (operation.type === 'range_delete' ? operation.begin : operation.key).startsWith(space.prefix);
  });

/** Sends every malformed request of a table, and looks for what they left in the log. */
async function refuseAll(
  t: TestContext,
  requirement: string,
  cases: readonly MalformedCommit[],
): Promise<void> {
  const reader = await LogReader.open(t);
  const [space, ownSpace] = [t.space(), t.space()];
  await expectAcceptance(t, requirement, ownSpace, 'the request that is not spoiled', toJson);
  const sent = new Set<string>();
  await t.each(cases, 8, async (one) => {
    for (const requestId of await expectRefusal(t, requirement, space, one)) sent.add(requestId);
  });
  for (const event of await reader.upToNow(ownSpace)) {
    t.check(
      'COMMIT-MALFORMED-NO-EFFECT',
      !sent.has(event.requestId) && !touches(event, space),
      () => `the log has, at version ${event.version}, ${event.requestId}, what was refused as malformed`,
    );
  }
}

/** Sends a well-formed request in one written form, and gives the version at which it committed. @throws Violation */
async function expectAcceptance(
  t: TestContext,
  requirement: string,
  space: KeySpace,
  name: string,
  written: (valid: ReturnType<typeof wellFormed>) => string,
): Promise<{ version: bigint; requestId: string }> {
  let [body, sentId] = ['', ''];
  const answer = await sendBody(t, requirement, ({ leaderId, version }, requestId) => {
    sentId = requestId;
    body = written(wellFormed(space, leaderId, version, requestId));
    return body;
  });
  if (answer.version === undefined)
    throw new Violation(requirement, `${name} was answered ${described(answer)}: ${show(body)}`);
  return { version: answer.version, requestId: sentId };
}

const table = (
  name: string,
  title: string,
  requirement: string,
  cases: readonly MalformedCommit[],
): Test => ({
  name: `commit/malformed/${name}`,
  title,
  requirements: [requirement, 'COMMIT-MALFORMED-NO-EFFECT'],
  run: (t) => refuseAll(t, requirement, cases),
});

/** A few of each kind, each among operations that would be fine. */
const ASSORTED: readonly MalformedCommit[] = [
  NOT_JSON,
  BAD_OPERATIONS,
  BAD_READ_VERSION,
  BAD_FIELDS,
  BAD_TYPES,
  NOT_BASE64,
  EMPTY_RANGES,
]
  .flatMap((cases) => cases.filter((_, index) => index % Math.ceil(cases.length / 6) === 0))
  .filter(({ name }) => name !== DEEPLY_NESTED);

export const commitMalformedTests: readonly Test[] = [
  table(
    'behind-many',
    'A malformed operation or precondition gets 400 also behind many that are fine.',
    'COMMIT-MALFORMED-FIELD',
    BEHIND_MANY,
  ),
  table('json', 'A body that is not JSON, or not an object, gets 400.', 'COMMIT-MALFORMED-JSON', NOT_JSON),
  table(
    'leader',
    'A commit without a leader_id that is a string gets 400.',
    'COMMIT-LEADER-REQUIRED',
    BAD_LEADER,
  ),
  table(
    'read-version',
    'A commit without a read_version that is an integer gets 400, also where no precondition needs it.',
    'COMMIT-READ-VERSION-REQUIRED',
    BAD_READ_VERSION,
  ),
  table(
    'operations',
    'A commit without operations that are an array gets 400.',
    'COMMIT-OPERATIONS-REQUIRED',
    BAD_OPERATIONS,
  ),
  table(
    'fields',
    'A field that is missing or of the wrong type gets 400, in whichever precondition or operation it is.',
    'COMMIT-MALFORMED-FIELD',
    BAD_FIELDS,
  ),
  table('types', 'A precondition or operation of unknown type gets 400.', 'COMMIT-MALFORMED-TYPE', BAD_TYPES),
  table(
    'base64',
    'A key, value or bound that is not standard base64 with padding gets 400.',
    'COMMIT-MALFORMED-BASE64',
    NOT_BASE64,
  ),
  table(
    'empty-ranges',
    'A range_read whose end is not greater than its begin by raw bytes gets 400.',
    'COMMIT-PRECOND-RANGE-EMPTY',
    EMPTY_RANGES,
  ),
  {
    name: 'commit/malformed/narrow-ranges',
    title:
      'A range_read whose end is greater than its begin by raw bytes is accepted, however close they are.',
    requirements: ['COMMIT-PRECOND-RANGE-EMPTY', 'LOG-KEY-ORDER-BYTES'],
    run: async (t) => {
      const space = t.space();
      const start = aligned(space, '');
      await t.each(NEIGHBOURS, 4, async ({ low, high, trap }, index) => {
        const outcome = await commitOrRefusal(
          t,
          () => ({
            preconditions: [rangeRead(start + low, start + high)],
            operations: [write(space.key(`${index}`), 'x')],
          }),
          space,
        );
        t.check(
          'COMMIT-PRECOND-RANGE-EMPTY',
          outcome.kind === 'committed',
          `range_read [${showBytes(low)}, ${showBytes(high)}) was refused with ${outcome.httpStatus}: its end is greater, unless one compares by ${trap}`,
        );
      });
    },
  },
  {
    name: 'commit/malformed/json-forms',
    title: 'However it is written down, a body that is JSON is understood.',
    requirements: ['COMMIT-MALFORMED-JSON', 'EVENT-OPERATIONS', 'EVENT-REQUEST-ID'],
    run: async (t) => {
      const space = t.space();
      const reader = await LogReader.open(t);
      for (const { name, written } of JSON_FORMS) {
        const [key, value] = [space.key(`\xff\xef\xbe${name}`), '\xff\xff\xff\xfb\xef\xbe'];
        const { version, requestId } = await expectAcceptance(
          t,
          'COMMIT-MALFORMED-JSON',
          space,
          name,
          (valid) =>
            written({
              ...valid,
              operations: [{ type: 'write', key: toBase64(key), value: toBase64(value) }],
            }),
        );
        const event = await reader.at(version);
        t.check(
          'EVENT-REQUEST-ID',
          event.requestId === requestId,
          () =>
            `${name}: ${requestId} committed at ${version}, and the log has ${toJson(event.requestId)} there`,
        );
        t.check(
          'EVENT-OPERATIONS',
          showsWrite(event, key, value),
          () => `${name}: a write of ${showBytes(key)} was streamed as ${toJson(event.operations)}`,
        );
      }
    },
  },
  {
    name: 'commit/malformed/no-effect',
    title:
      'A malformed request leaves nothing behind, not even its well-formed operations, and uses nothing up.',
    requirements: ['COMMIT-MALFORMED-NO-EFFECT', 'STATUS-NOT-FOUND'],
    run: async (t) => {
      const [space, ownSpace] = [t.space(), t.space()];
      const reader = await LogReader.open(t);
      const { version: before } = await t.write([write(ownSpace.key('before'), 'x')], ownSpace);
      const sent = new Set<string>();
      for (let round = 0; round < t.scale(1, 6); round += 1) {
        await t.each(ASSORTED, 8, async (one) => {
          for (const requestId of await expectRefusal(t, 'COMMIT-MALFORMED-NO-EFFECT', space, one))
            sent.add(requestId);
        });
      }
      for (const requestId of [...sent].slice(0, t.scale(4, 12))) {
        const { kind } = await t.api.status(requestId, before);
        t.check(
          'COMMIT-MALFORMED-NO-EFFECT',
          kind !== 'committed',
          `a malformed request has the status ${kind}`,
        );
      }
      for (const event of await reader.upToNow(ownSpace)) {
        t.check(
          'COMMIT-MALFORMED-NO-EFFECT',
          !sent.has(event.requestId) && !touches(event, space),
          () => `the log has, at version ${event.version}, ${event.requestId}, what was refused as malformed`,
        );
      }
    },
  },
  {
    name: 'commit/malformed/connection',
    title: 'After a malformed request the same connection, if it is kept open, serves the next one.',
    requirements: ['COMMIT-MALFORMED-NO-EFFECT'],
    // Alone, the connection that was used last is the next to be used.
    phase: 'alone',
    run: async (t) => {
      const [space, ownSpace] = [t.space(), t.space()];
      for (const one of ASSORTED) {
        await expectRefusal(t, 'COMMIT-MALFORMED-NO-EFFECT', space, one);
        const next = await t.api.raw('GET', '/v1/version');
        t.check(
          'COMMIT-MALFORMED-NO-EFFECT',
          next.status === 200 || isUnavailable(next.status),
          `GET /v1/version was answered ${next.status} after ${one.name}`,
        );
      }
      await t.write([write(ownSpace.key('after'), 'x')], ownSpace);
    },
  },
  {
    name: 'commit/lenient',
    title: 'What is seen of bodies that the specification neither demands nor forbids.',
    requirements: ['COMMIT-FIELDS-LENIENT', 'ERROR-BODY'],
    run: async (t) => {
      const space = t.space();
      const seen = new Map<string, string[]>();
      for (const { name, written, headers } of LENIENCIES) {
        const answer = await sendBody(
          t,
          'COMMIT-FIELDS-LENIENT',
          ({ leaderId, version }, requestId) =>
            written(wellFormed(space, leaderId, version, requestId), space),
          headers === undefined ? {} : { headers },
        );
        const outcome = answer.kind === 'committed' ? 'accepted' : `answered ${described(answer)}`;
        seen.set(outcome, [...(seen.get(outcome) ?? []), name]);
        if (answer.status === 400) {
          t.saw(
            'ERROR-BODY',
            `${answer.headers['content-type'] ?? 'no content type'}: ${answer.text.slice(0, 80)}`,
          );
        }
      }
      for (const [outcome, names] of seen) t.saw('COMMIT-FIELDS-LENIENT', `${outcome}: ${names.join('; ')}`);
    },
  },
  {
    name: 'commit/range-delete-empty',
    title: 'What is answered to a range_delete whose end is not greater than its begin.',
    requirements: ['COMMIT-RANGE-DELETE-EMPTY'],
    run: async (t) => {
      const space = t.space();
      await t.write([write(space.key('a'), 'x'), write(space.key('b'), 'x')], space);
      for (const [name, begin, end] of [
        ['end equal to begin', 'a', 'a'],
        ['end less than begin', 'b', 'a'],
      ] as const) {
        const outcome = await commitOrRefusal(
          t,
          () => ({ operations: [removeRange(space.key(begin), space.key(end))] }),
          space,
        );
        t.saw('COMMIT-RANGE-DELETE-EMPTY', `${name}: ${outcome.kind} (${outcome.httpStatus})`);
      }
    },
  },
  {
    name: 'commit/empty',
    title: 'What is answered to a commit without operations, to an empty key, and to an empty value.',
    requirements: ['COMMIT-EMPTY'],
    run: async (t) => {
      const space = t.space();
      const builds: readonly [string, Build][] = [
        ['no operations', () => ({ operations: [] })],
        ['an empty value', () => ({ operations: [write(space.key('k'), '')] })],
        // Only read: the empty key belongs to everybody.
        [
          'an empty key',
          () => ({ preconditions: [pointRead('')], operations: [write(space.key('k'), 'x')] }),
        ],
      ];
      for (const [name, build] of builds) {
        const outcome = await commitOrRefusal(t, build, space);
        t.saw('COMMIT-EMPTY', `${name}: ${outcome.kind} (${outcome.httpStatus})`);
      }
    },
  },
];
