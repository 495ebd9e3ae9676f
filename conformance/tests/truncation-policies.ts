import { write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { Commit, TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { allOf } from './all-of.js';
import { holdLog, trySetPolicy } from './hold-log.js';
import { LogFollower, readLog } from './log-follower.js';
import { Policies } from './policies.js';
import { restartServer } from './restart-server.js';
import { isTruncated, Pressure } from './truncation-pressure.js';

const CAN_TRUNCATE = ['truncate', 'truncationKeeps'] as const;

/** Above the one that counts. */
const MORE_POLICIES = 40;

/** A commit, and the version before it in the log. */
interface Place {
  readonly commit: Commit;
  readonly version: bigint;
  readonly previous: bigint;
}

/** Commits transactions that are held until `release`, with others in between so that they lie apart. */
async function placesIn(
  t: TestContext,
  pressure: Pressure,
  count: number,
  apart: number,
): Promise<{ places: readonly Place[]; release: () => Promise<void> }> {
  const { base, release } = await holdLog(t);
  const space = t.space();
  const commits: Commit[] = [];
  for (let index = 0; index < count; index += 1) {
    await pressure.press(apart);
    commits.push(await t.write([write(space.key(`${index}`), 'x')], space));
  }
  await pressure.press(2);
  const events = await readLog(t, { after: base }, pressure.last, 'STREAM-COMPLETE');
  if (events === 'truncated')
    throw new Violation(
      'RETENTION-HONOURED',
      `after=${base} is answered with 410, although a policy holds it`,
    );
  const previous = new Map(events.map(({ version, prevVersion }) => [version, prevVersion]));
  return {
    places: commits.map((commit) => ({
      commit,
      version: commit.version,
      previous: previous.get(commit.version)!,
    })),
    release,
  };
}

/** Whether the transaction at a place is there: streamed, or found by its request_id where streams are strict. */
async function isThere(t: TestContext, { commit, previous, version }: Place): Promise<boolean> {
  if (!(await isTruncated(t, previous))) return true;
  // A server may ask for the version `after` itself to be held too.
  for (const minVersion of [previous, version]) {
    const { kind } = await t.api.status(commit.transaction.requestId!, minVersion);
    if (kind === 'committed') return true;
  }
  return false;
}

/** Everything from a place on is held. */
async function checkHeld(t: TestContext, place: Place, pressure: Pressure, why: string): Promise<void> {
  const { version } = place;
  for (const durable of [true, false]) {
    const events = await readLog(t, { after: version, durable }, pressure.last, 'RETENTION-HONOURED');
    t.check(
      'RETENTION-HONOURED',
      events !== 'truncated',
      `after=${version} is answered with 410, although ${why}`,
    );
  }
  t.check(
    'RETENTION-HONOURED',
    await isThere(t, place),
    `version ${version} itself is neither streamed nor found by its request_id, although ${why}`,
  );
}

/** Presses far past a place; nothing from there on may be truncated at any time. */
async function pressAgainst(t: TestContext, pressure: Pressure, place: Place, why: string): Promise<void> {
  const { version } = place;
  await pressure.pressFar(async () => {
    t.check(
      'RETENTION-HONOURED',
      !(await isTruncated(t, version)),
      `after=${version} is answered with 410 while the log grows, although ${why}`,
    );
  });
  await checkHeld(t, place, pressure, why);
}

async function checkReleased(t: TestContext, pressure: Pressure, place: Place, why: string): Promise<void> {
  t.check(
    'RETENTION-RELEASED',
    await pressure.truncatePast(place.version),
    `the log is not truncated past version ${place.version}, although ${why}`,
  );
}

/** The oldest of the versions of `pressure` that is held, or one of the oldest; undefined where none is. */
async function oldestHeld(t: TestContext, versions: readonly bigint[]): Promise<number | undefined> {
  let [low, high] = [0, versions.length - 1];
  if (high < 1) return undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isTruncated(t, versions[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low < versions.length - 1 ? low : undefined;
}

export const truncationPolicyTests: readonly Test[] = [
  {
    name: 'truncation/policy',
    title:
      'While a policy names a version, that version and everything above it stays; once it is deleted, it may go.',
    requirements: ['RETENTION-HONOURED', 'RETENTION-RELEASED', 'STREAM-AFTER-HELD'],
    needs: [CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      const policies = new Policies(t);
      const policy = t.policyId();
      for (let round = 0; round < t.scale(1, 2); round += 1) {
        const { places, release } = await placesIn(t, pressure, 2, 5);
        const place = places[1]!;
        await policies.set(policy, place.version, 201);
        await release();
        await pressAgainst(t, pressure, place, `a policy holds version ${place.version}`);
        await policies.remove(policy);
        await checkReleased(t, pressure, place, 'the only policy was deleted');
      }
    },
  },
  {
    name: 'truncation/lowest-policy',
    title:
      'Of several policies the lowest counts, in whatever order they were set, and until it is raised or deleted.',
    requirements: ['RETENTION-HONOURED', 'RETENTION-RELEASED'],
    needs: [CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      const policies = new Policies(t);
      const { places, release } = await placesIn(t, pressure, 3, pressure.distance);
      const [low, middle, high] = places as readonly [Place, Place, Place];
      const [first, second, third] = [t.policyId('a'), t.policyId('b'), t.policyId('c')];
      await policies.set(first, middle.version, 201);
      await policies.set(second, low.version, 201);
      await policies.set(third, high.version, 201);
      // A server may have a limit for how many there are.
      for (let more = 0; more < MORE_POLICIES; more += 1)
        if ((await trySetPolicy(t, t.policyId(`-${more}`), high.version)) !== undefined) break;
      // A text that is before those of the others, and a number that is above them; it may be refused, too.
      await trySetPolicy(t, t.policyId('d'), 10n ** BigInt(`${high.version}`.length));
      await release();
      await pressAgainst(t, pressure, low, `the lowest of three policies holds version ${low.version}`);
      await policies.remove(third);
      await pressAgainst(
        t,
        pressure,
        low,
        `the lower of two policies holds version ${low.version}, after a third was deleted`,
      );
      await policies.set(second, high.version, 200);
      await checkReleased(
        t,
        pressure,
        low,
        `the policy that held it was raised to ${high.version}, and the lowest is at ${middle.version}`,
      );
      await pressAgainst(t, pressure, middle, `a policy holds version ${middle.version}`);
      await policies.remove(first);
      await pressAgainst(t, pressure, high, `a policy that was raised holds version ${high.version}`);
    },
  },
  {
    name: 'truncation/lowered-policy',
    title:
      'A policy that is lowered to a version that is held holds it from there; one at version 0 holds all there is.',
    requirements: ['RETENTION-HONOURED', 'RETENTION-UPDATE'],
    needs: [CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      const policies = new Policies(t);
      const { places, release } = await placesIn(t, pressure, 2, 5);
      const [low, high] = places as readonly [Place, Place];
      const policy = t.policyId();
      await policies.set(policy, high.version, 201);
      await policies.set(policy, low.version, 200);
      await release();
      await pressAgainst(t, pressure, low, `a policy that was lowered holds version ${low.version}`);
      const everything = t.policyId();
      // What is below is truncated: a server need not promise to hold it.
      if ((await trySetPolicy(t, everything, 0n)) !== undefined) return;
      await policies.remove(policy);
      await pressAgainst(t, pressure, low, 'a policy holds version 0 and all above');
    },
  },
  {
    name: 'truncation/policy-at-the-edge',
    title:
      'A policy that is set just above what is truncated, while the log is being truncated, holds from its answer on.',
    requirements: ['RETENTION-HONOURED'],
    needs: [CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      const policies = new Policies(t);
      await pressure.press(pressure.distance);
      for (let round = 0; round < t.scale(2, 5); round += 1) {
        await pressure.press();
        const oldest = await oldestHeld(t, pressure.versions);
        if (oldest === undefined) continue;
        const version =
          pressure.versions[Math.min(oldest + 1 + t.random.below(6), pressure.versions.length - 2)]!;
        const policy = t.policyId();
        const isHeld = async (): Promise<boolean> => {
          // It may have been truncated before the policy was there.
          return (await trySetPolicy(t, policy, version)) === undefined && !(await isTruncated(t, version));
        };
        const setting = isHeld();
        await allOf([setting, pressure.press()]);
        if (await setting) {
          await pressure.pressFar(async () => {
            t.check(
              'RETENTION-HONOURED',
              !(await isTruncated(t, version)),
              `after=${version} got a stream once a policy held that version, and is answered with 410 although the policy is still there`,
            );
          });
        }
        await policies.delete(policy);
      }
    },
  },
  {
    name: 'truncation/consumer',
    title: 'A consumer that moves its policy on as it reads never finds the log truncated where it goes on.',
    requirements: ['RETENTION-HONOURED', 'STREAM-RESUME', 'STREAM-COMPLETE'],
    needs: [CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      const policies = new Policies(t);
      const { base, release } = await holdLog(t);
      const readers = [true, false].map((durable) => ({
        policy: t.policyId(),
        reader: new LogFollower(t, { after: base, durable }),
      }));
      for (const { policy } of readers) await policies.set(policy, base, 201);
      await release();
      for (let round = 0; round < t.scale(3, 8); round += 1) {
        const target = pressure.last;
        const reading = readers.map(async ({ reader, policy }) => {
          const ending = await reader.readTo(target, 'STREAM-COMPLETE');
          t.check(
            'RETENTION-HONOURED',
            ending === 'reached',
            `after=${reader.position} is answered with 410, although a policy holds that version`,
          );
          await policies.set(policy, reader.position, 200);
        });
        await allOf([...reading, pressure.press()]);
        for (const { reader } of readers) reader.close();
        await pressure.press();
      }
    },
  },
  {
    name: 'truncation/policy-and-restart',
    title: 'A policy holds the log across a restart.',
    requirements: ['RETENTION-HONOURED', 'RETENTION-DURABLE'],
    needs: ['restart', CAN_TRUNCATE],
    phase: 'disruptive',
    run: async (t) => {
      const pressure = await Pressure.on(t);
      const policies = new Policies(t);
      const { places, release } = await placesIn(t, pressure, 1, 5);
      const place = places[0]!;
      await policies.set(t.policyId(), place.version, 201);
      await release();
      await pressure.press(pressure.distance);
      await t.now();
      await restartServer(t);
      await checkHeld(t, place, pressure, `a policy held version ${place.version} before the restart`);
      await pressAgainst(t, pressure, place, `a policy held version ${place.version} before the restart`);
    },
  },
];
