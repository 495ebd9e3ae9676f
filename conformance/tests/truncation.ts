import { pointRead, type Transaction, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { Commit, TestContext } from '../run/test-context.js';
import { allOf } from './all-of.js';
import { LogFollower, openStream, readLog } from './log-follower.js';
import { restartServer } from './restart-server.js';
import { sendAsIs } from './send-as-is.js';
import { truncationPolicyTests } from './truncation-policies.js';
import { edgeOf, isTruncated, Pressure } from './truncation-pressure.js';

const CAN_TRUNCATE = ['truncate', 'truncationKeeps'] as const;
/** Versions next to the place where the log begins that are looked at one by one. */
const NEAR = 10;
const SPREAD = 10;
const TRIES = 5;

const descending = (a: bigint, b: bigint): number => (a > b ? -1 : 1);

/** The latest version is never truncated, and neither is what comes without `after`. */
async function checkLatest(t: TestContext): Promise<void> {
  for (const durable of [true, false]) {
    const { version } = await t.now();
    const stream = await openStream(t, { after: version, durable });
    if ('refused' in stream) {
      const { version: still } = await t.now();
      // Others may have committed meanwhile, and that may have been truncated.
      t.check(
        'STREAM-AFTER-HELD',
        still !== version,
        `after=${version}, the latest version, is answered with ${stream.refused}`,
      );
    } else stream.close();
    const live = await openStream(t, { durable });
    if ('refused' in live)
      t.check('STREAM-AFTER-DEFAULT', false, `a stream without after is answered with ${live.refused}`);
    else live.close();
  }
}

/** Around the place where the log begins: 410 below, a stream without a gap from there on. */
async function checkEdge(t: TestContext, pressure: Pressure, truncated: bigint): Promise<void> {
  const versions = pressure.versions.filter((version) => version >= truncated);
  const edge = await edgeOf(t, versions.slice(0, -1));
  const step = Math.ceil(versions.length / SPREAD);
  const asked = versions
    .slice(0, -1)
    .filter((_, index) => Math.abs(index - edge) <= NEAR || index % step === 0)
    .sort(descending);
  // From the newest to the oldest: whatever is truncated meanwhile cannot make a lower one held.
  let lowestHeld: bigint | undefined;
  let highestTruncated: bigint | undefined;
  for (const [index, after] of [...asked, t.run.startVersion, 0n].entries()) {
    const isBelow = await isTruncated(t, after, index % 2 === 0);
    if (isBelow) highestTruncated ??= after;
    else lowestHeld = after;
    t.check(
      'STREAM-AFTER-TRUNCATED',
      isBelow || highestTruncated === undefined,
      `after=${after} gets a stream, although after=${highestTruncated} was answered with 410`,
    );
  }
  if (lowestHeld !== undefined) await readLog(t, { after: lowestHeld }, pressure.last, 'STREAM-COMPLETE');
}

/** Of a request that committed in the truncated part, the status says so or says that it cannot know. */
async function checkTruncatedStatus(t: TestContext, commit: Commit, minVersion: bigint): Promise<void> {
  const { requestId } = commit.transaction;
  const status = await t.api.status(requestId!, minVersion);
  t.check(
    'STATUS-TRUNCATED',
    status.kind !== 'id_not_found',
    `${requestId} committed at ${commit.version}; now that the log is truncated there, its status from ${minVersion} is id_not_found`,
  );
  if (status.kind !== 'committed') return;
  t.check(
    'STATUS-COMMITTED',
    status.version === commit.version,
    `a request committed at ${commit.version}, and its status says ${status.version}`,
  );
  t.check(
    'STATUS-COMMITTED-LEADER',
    status.leaderId === commit.leaderId,
    `the status of version ${commit.version} names another leader`,
  );
}

/** `status` is as expected, unless the log moved on while it was asked. */
async function checkAtLatest(t: TestContext): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { version } = await t.now();
    const { kind } = await t.api.status(t.requestId(), version);
    if (kind === 'id_not_found') return;
    const { version: still } = await t.now();
    t.check(
      'STATUS-NOT-FOUND',
      still !== version,
      `a request that was never sent is ${kind} from min_version ${version}, the latest version, after which nothing can be truncated`,
    );
  }
}

/** What was just committed is found while the log is held from before it. */
async function checkNewest(t: TestContext): Promise<void> {
  const space = t.space();
  for (let tries = 0; tries < TRIES; tries += 1) {
    const minVersion = (await t.write([write(space.key('k'), `before ${tries}`)], space)).version;
    const commit = await t.write([write(space.key('k'), `${tries}`)], space);
    const status = await t.api.status(commit.transaction.requestId!, minVersion);
    if (status.kind === 'committed') return;
    t.check(
      'STATUS-COMMITTED',
      await isTruncated(t, minVersion),
      `a request that has just committed at ${commit.version} is ${status.kind} from min_version ${minVersion}, from where the log is held`,
    );
  }
}

/** The requests on both sides of where the server begins not to know them any more. */
async function checkAroundTheEdge(t: TestContext): Promise<void> {
  const committed = t.run.shared.ledger.attempts
    .flatMap(({ transaction: { requestId }, outcome }) =>
      requestId !== undefined && outcome?.kind === 'committed'
        ? [{ requestId, version: outcome.version }]
        : [],
    )
    .filter(({ requestId }) => t.run.shared.ledger.byRequestId(requestId).length === 1)
    .sort((a, b) => (a.version < b.version ? -1 : 1));
  const isKnown = async ({ requestId, version }: (typeof committed)[number]): Promise<boolean> => {
    // What is after min_version is spoken of, not what is at it.
    const minVersion = t.run.shared.view.get(version)?.prevVersion ?? version - 1n;
    const answer = await t.api.status(requestId, minVersion);
    t.check(
      'STATUS-TRUNCATED',
      answer.kind !== 'id_not_found',
      `${requestId} committed at ${version}; after a truncation its status from min_version ${minVersion} is id_not_found`,
    );
    return answer.kind === 'committed';
  };
  let [low, high] = [0, committed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isKnown(committed[middle]!)) high = middle;
    else low = middle + 1;
  }
  await t.each(committed.slice(Math.max(0, low - 25), low + 25), 4, async (one) => {
    await isKnown(one);
  });
}

export const truncationTests: readonly Test[] = [
  {
    name: 'truncation/after',
    title: 'Below some version every after gets 410, from there on every after gets a stream without a gap.',
    requirements: ['STREAM-AFTER-TRUNCATED', 'STREAM-AFTER-HELD', 'STREAM-AFTER-DEFAULT', 'STREAM-COMPLETE'],
    needs: [CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      for (let round = 0; round < t.scale(1, 2); round += 1) {
        await pressure.press(NEAR);
        const truncated = pressure.last;
        if (!(await pressure.truncatePast(truncated))) t.giveUp('the log was not truncated as it was before');
        await checkLatest(t);
        await checkEdge(t, pressure, truncated);
      }
    },
  },
  {
    name: 'truncation/status',
    title:
      'A request that committed where the log is truncated is never answered as not found; what is still to be known is.',
    requirements: ['STATUS-TRUNCATED', 'STATUS-NOT-FOUND', 'STATUS-LATE-ARRIVAL', 'STATUS-COMMITTED'],
    needs: [CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      const space = t.space();
      const commits: { readonly commit: Commit; readonly minVersion: bigint }[] = [];
      for (let index = 0; index < 6; index += 1) {
        const minVersion = t.committed;
        const preconditions = [pointRead(space.key('k'))];
        const commit = await t.commit(
          () => ({ preconditions, operations: [write(space.key('k'), `${index}`)] }),
          space,
        );
        commits.push({ commit, minVersion });
      }
      const oldest = commits[0]!.minVersion;
      if (!(await pressure.truncatePast(commits.at(-1)!.commit.version)))
        t.giveUp('the log was not truncated as it was before');
      for (const { commit, minVersion } of commits) {
        for (const from of [minVersion, oldest, 0n]) await checkTruncatedStatus(t, commit, from);
      }
      await checkNewest(t);
      await checkAtLatest(t);
      await checkAroundTheEdge(t);
      for (let index = 0; index < 3; index += 1) {
        await t.now();
        const transaction: Transaction & { readonly requestId: string } = {
          leaderId: t.leaderId,
          readVersion: t.committed,
          requestId: t.requestId(),
          operations: [write(space.key('late'), `${index}`)],
        };
        const { kind } = await t.api.status(transaction.requestId, index === 0 ? 0n : oldest);
        t.check('STATUS-NOT-FOUND', kind !== 'committed', 'a request that was never sent is committed');
        const answer = await sendAsIs(t, transaction, space);
        t.check(
          'STATUS-LATE-ARRIVAL',
          answer.kind !== 'committed',
          `the status of ${transaction.requestId} was ${kind}, and then it committed`,
        );
      }
    },
  },
  {
    name: 'truncation/readers',
    title: 'Readers that catch up from where the log is being truncated get a chain without gaps, or 410.',
    requirements: ['STREAM-COMPLETE', 'STREAM-AFTER-TRUNCATED', 'STREAM-SAME-LOG'],
    needs: [CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      await pressure.press(pressure.distance);
      let over = false;
      const pressing = (async () => {
        for (let round = 0; round < t.scale(3, 8); round += 1) await pressure.press();
      })().finally(() => {
        over = true;
      });
      const readers = Array.from({ length: 4 }, async (_, index) => {
        while (!over) {
          const { versions } = pressure;
          const back = 1 + t.random.below(Math.min(versions.length, Math.ceil(pressure.distance * 1.2)));
          const reader = new LogFollower(t, { after: versions.at(-back)!, durable: index % 2 === 0 });
          await reader.readTo(pressure.last, 'STREAM-COMPLETE');
          reader.close();
        }
      });
      await allOf([pressing, ...readers]);
    },
  },
  {
    name: 'truncation/restart',
    title:
      'After a restart the truncated part is still truncated, and what is held is held, in streams and for status.',
    requirements: [
      'STREAM-AFTER-TRUNCATED',
      'STREAM-AFTER-HELD',
      'STATUS-TRUNCATED',
      'EVENT-PREV-VERSION',
      'LOG-DURABLE',
    ],
    needs: ['restart', CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      const space = t.space();
      const minVersion = t.committed;
      const commit = await t.write([write(space.key('k'), 'x')], space);
      if (!(await pressure.truncatePast(commit.version)))
        t.giveUp('the log was not truncated as it was before');
      await pressure.press(NEAR);
      await t.now();
      await restartServer(t);
      await checkLatest(t);
      await pressure.press(NEAR);
      await checkEdge(t, pressure, commit.version);
      for (const from of [minVersion, 0n]) await checkTruncatedStatus(t, commit, from);
      await checkAtLatest(t);
    },
  },
  ...truncationPolicyTests,
];
