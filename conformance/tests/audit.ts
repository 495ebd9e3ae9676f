import { pointRead, rangeRead, write } from '../model/transaction.js';
import { auditOf, changesOf } from '../run/audit.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { type Bytes, show } from '../wire/bytes.js';

/** Commits a marker and waits until the recorder has read up to it. */
async function recordToTheEnd(t: TestContext): Promise<bigint> {
  const space = t.space();
  const marker = await t.write([write(space.key('end'), 'marker')], space);
  const { recorder } = t.run;
  while (recorder.hole === undefined && recorder.last < marker.version) {
    const { last } = recorder;
    await t.until('the recorder to read on in the log of the run', 'STREAM-LIVE', async () =>
      recorder.last > last || recorder.hole !== undefined ? true : undefined,
    );
  }
  return marker.version;
}

/** A key that really changed, and a version before that. */
interface Change {
  readonly key: Bytes;
  readonly version: bigint;
  readonly before: bigint;
}

/** Changes picked from the whole run; where there is one, the version before has a greater first digit. */
function someChanges(t: TestContext, count: number): Change[] {
  const records = t.run.shared.view.inOrder().filter(({ version }) => version > t.run.startVersion);
  const versions = [t.run.startVersion, ...records.map(({ version }) => version)];
  const changes = changesOf(t.run);
  return t.random
    .shuffle(changes)
    .slice(0, count)
    .map(({ key, version }, index) => {
      const earlier = versions.filter((one) => one < version);
      const greaterAsText = earlier.filter((one) => String(one) > String(version));
      const pool = index % 2 === 0 && greaterAsText.length > 0 ? greaterAsText : earlier;
      return { key, version, before: index % 3 === 0 ? earlier.at(-1)! : t.random.pick(pool) };
    });
}

/** Where the run began, or the nearest later version that a stream is given for: the log may be truncated. */
async function oldestHeld(t: TestContext, durable: boolean): Promise<bigint> {
  const records = t.run.shared.view.inOrder().filter(({ version }) => version > t.run.startVersion);
  let candidates = [t.run.startVersion, ...records.map(({ version }) => version)];
  for (;;) {
    const after = candidates[0];
    if (after === undefined) t.giveUp('the server truncates its log faster than it can be read');
    const stream = await t.api.subscribe({ after, durable });
    if (!('refused' in stream)) {
      stream.close();
      return after;
    }
    // Any other refusal is judged by whoever asks for the stream.
    if (stream.refused !== 410) return after;
    candidates = candidates.slice(Math.ceil(candidates.length / 8));
  }
}

/** What looks back over the run before the server is restarted and its log truncated. */
export const retrospectTests: readonly Test[] = [
  {
    name: 'retrospect/catch-up',
    title:
      'A reader that starts where the run began gets the whole log of the run, just as it was streamed live.',
    requirements: [
      'STREAM-COMPLETE',
      'STREAM-SAME-LOG',
      'EVENT-PREV-VERSION',
      'STREAM-AFTER-HELD',
      'CHECKPOINT-NOT-AHEAD',
      'STREAM-LIVE',
    ],
    phase: 'alone',
    run: async (t) => {
      const end = await recordToTheEnd(t);
      for (const durable of [true, false]) {
        const after = await oldestHeld(t, durable);
        const reader = await t.api.stream({ after, durable });
        await reader.untilVersion(end, 'STREAM-COMPLETE');
        const live = await t.write([write(`${t.run.mark}live`, `${durable}`)]);
        await reader.untilVersion(live.version);
        reader.close();
      }
    },
  },
  {
    name: 'retrospect/after',
    title:
      'From versions all over the run, also the last of so many digits, a stream begins with the next transaction.',
    requirements: ['STREAM-AFTER', 'STREAM-SAME-LOG', 'EVENT-PREV-VERSION'],
    phase: 'alone',
    run: async (t) => {
      await recordToTheEnd(t);
      const records = t.run.shared.view.inOrder().filter(({ version }) => version > t.run.startVersion);
      const pairs = records
        .slice(1)
        .map((next, index) => ({ after: records[index]!.version, next: next.version }));
      const atBorders = pairs.filter(({ after, next }) => String(after).length < String(next).length);
      // A version that no transaction has, where versions have gaps; a server need not stream from there.
      const inGaps = pairs
        .filter(({ after, next }) => next - after > 1n)
        .map(({ next }) => ({ after: next - 1n, next }));
      const picked = [
        ...atBorders,
        ...t.random.shuffle(inGaps).slice(0, 6),
        ...t.random.shuffle(pairs).slice(0, t.scale(12, 40)),
      ];
      await t.each(picked, 4, async ({ after, next }, index) => {
        const stream = await t.api.subscribe({ after, durable: index % 2 === 0 });
        if ('refused' in stream) return;
        for (let item = await stream.next(`version ${next}`, 'STREAM-AFTER'); item.kind !== 'end'; ) {
          if (item.kind === 'transaction') {
            t.check(
              'STREAM-AFTER',
              item.event.version === next,
              `after=${after} began with version ${item.event.version}, although ${next} comes next`,
            );
            break;
          }
          item = await stream.next(`version ${next}`, 'STREAM-AFTER');
        }
        stream.close();
      });
    },
  },
  {
    name: 'retrospect/old-versions',
    title:
      'Keys that changed anywhere in the run break reads from before, at versions of any age and of fewer digits.',
    requirements: ['COMMIT-PRECONDITION-OLD', 'COMMIT-POINT-READ', 'COMMIT-RANGE-READ'],
    phase: 'alone',
    run: async (t) => {
      await recordToTheEnd(t);
      const changes = someChanges(t, t.scale(30, 120));
      if (changes.length === 0) t.skip('this run changed no key');
      await t.each(changes, 8, async ({ key, version, before }, index) => {
        await t.mustBeRejected(
          'COMMIT-PRECONDITION-OLD',
          `${show(key)} was changed at version ${version}, and is read at ${before}`,
          () => ({
            preconditions: [index % 2 === 0 ? pointRead(key, before) : rangeRead(key, `${key}\x00`, before)],
            operations: [write(`${t.run.mark}old versions`, `${index}`)],
          }),
        );
      });
    },
  },
  {
    name: 'retrospect/status',
    title: 'What became of requests of the whole run can be asked for at its end, and agrees with the log.',
    requirements: ['STATUS-COMMITTED', 'STATUS-COMMITTED-LEADER', 'STATUS-NOT-FOUND', 'STATUS-MIN-VERSION'],
    phase: 'alone',
    run: async (t) => {
      await recordToTheEnd(t);
      const { ledger, view } = t.run.shared;
      const once = ledger.attempts.filter(
        ({ transaction: { requestId } }) =>
          requestId !== undefined && ledger.byRequestId(requestId).length === 1,
      );
      // An ID that was refused need not be one that can be asked for.
      const settled = once.filter(
        ({ outcome }) => outcome?.kind === 'committed' || outcome?.kind === 'not_committed',
      );
      await t.each(
        t.random.shuffle(settled).slice(0, t.scale(60, 250)),
        6,
        async ({ transaction, outcome }, index) => {
          const version = outcome?.kind === 'committed' ? outcome.version : undefined;
          const prev = version === undefined ? undefined : view.get(version)?.prevVersion;
          const from = [t.run.startVersion, prev ?? t.run.startVersion, version ?? t.run.startVersion][
            index % 3
          ]!;
          const answer = await t.api.status(transaction.requestId!, from);
          if (answer.kind === 'log_truncated') return;
          if (outcome?.kind !== 'committed') {
            t.check(
              'STATUS-NOT-FOUND',
              answer.kind === 'id_not_found',
              `a commit was answered ${outcome?.kind}, and its status is ${answer.kind}`,
            );
            return;
          }
          t.check(
            from === version ? 'STATUS-MIN-VERSION' : 'STATUS-COMMITTED',
            answer.kind === 'committed' && answer.version === version,
            () =>
              `${transaction.requestId} committed at ${version}; at the end of the run its status from min_version ${from} is ${answer.kind}${answer.kind === 'committed' ? ` at ${answer.version}` : ''}`,
          );
          t.check(
            'STATUS-COMMITTED-LEADER',
            answer.kind === 'committed' && answer.leaderId === outcome.leaderId,
            `a request was committed by leader ${outcome.leaderId}, and its status names another one`,
          );
        },
      );
    },
  },
];

export const auditTests: readonly Test[] = [
  {
    name: 'audit/replay',
    title:
      'Every commit of the run is compared with the log: all that were answered as committed are there, once, unchanged, and their preconditions held; nothing else is.',
    requirements: [
      'LOG-SERIALIZABLE',
      'LOG-ONE-VERSION-EACH',
      'STREAM-COMPLETE',
      'STREAM-SAME-LOG',
      'COMMIT-ANSWER-VERSION',
      'COMMIT-REJECTED-NO-EFFECT',
      'COMMIT-MALFORMED-NO-EFFECT',
      'COMMIT-REQUEST-ID-GENERATED',
      'EVENT-REQUEST-ID',
      'EVENT-VERSION',
      'EVENT-LEADER',
      'EVENT-PREV-VERSION',
      'EVENT-OPERATIONS',
      'EVENT-OPERATIONS-SHAPE',
      'ENCODING-BASE64',
      'COMMIT-PRECISION',
      'EVENT-TIMESTAMP-VALUE',
    ],
    phase: 'audit',
    run: async (t) => {
      await recordToTheEnd(t);
      const { violations, precision, replayed } = auditOf(t.run);
      const { committed, rejected, rejectedWithoutNeed } = precision;
      t.saw(
        'COMMIT-PRECISION',
        `${rejectedWithoutNeed} of ${rejected} rejections were not needed (${committed} commits with preconditions, ${replayed} transactions replayed)`,
      );
      t.saw(
        'EVENT-TIMESTAMP-VALUE',
        t.run.shared.view.timestampsDiffer ? 'differs between deliveries' : 'the same in every delivery',
      );
      for (const violation of violations.slice(1)) t.alsoBroken(violation);
      if (violations[0] !== undefined) throw violations[0];
      if (t.run.recorder.hole !== undefined)
        t.skip(`the log could not be read as a whole: ${t.run.recorder.hole}`);
      if (replayed === 0) throw new Violation('STREAM-COMPLETE', 'no transaction of the run was streamed');
    },
  },
];
