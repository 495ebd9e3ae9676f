import { write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { NoAnswer } from '../wire/http.js';
import { holdLog } from './hold-log.js';
import { Policies } from './policies.js';
import { restartServer } from './restart-server.js';

const say = (version: bigint | undefined): string => (version === undefined ? 'absent' : `${version}`);

/** Commits `count` transactions; their versions. A policy has to hold them. */
async function versionsAhead(t: TestContext, count: number): Promise<bigint[]> {
  const space = t.space();
  const versions: bigint[] = [];
  for (let index = 0; index < count; index += 1)
    versions.push((await t.write([write(space.key('k'), `${index}`)], space)).version);
  return versions;
}

/** GET and the list show each policy as one of the states that it may have. The state that it has. */
async function checkPolicies(
  t: TestContext,
  policies: Policies,
  expected: ReadonlyMap<string, readonly (bigint | undefined)[]>,
): Promise<Map<string, bigint | undefined>> {
  const found = new Map<string, bigint | undefined>();
  for (const [id, states] of expected) {
    const version = await policies.get(id);
    t.check(
      'RETENTION-DURABLE',
      states.includes(version),
      () =>
        `after a restart a policy should be ${states.map(say).join(' or ')}, and GET shows it as ${say(version)}`,
    );
    found.set(id, version);
  }
  await policies.expectListed(found, 'RETENTION-DURABLE');
  return found;
}

/** A policy that is set and deleted again and again. */
interface Flickering {
  readonly id: string;
  /** As the last answer left it. */
  settled: bigint | undefined;
  /** What was asked for and not answered; absent where nothing is under way. */
  pending: { readonly to: bigint | undefined } | undefined;
  changes: number;
}

async function flicker(
  policies: Policies,
  policy: Flickering,
  versions: readonly bigint[],
  isOver: () => boolean,
): Promise<void> {
  for (let index = 0; !isOver(); index += 1) {
    const to = index % 4 === 3 ? undefined : versions[index % versions.length]!;
    policy.pending = { to };
    try {
      if (to === undefined) await policies.remove(policy.id);
      else await policies.set(policy.id, to, index % 4 === 0 ? 201 : 200);
    } catch (error) {
      if (error instanceof NoAnswer) return;
      throw error;
    }
    policy.settled = to;
    policy.pending = undefined;
    policy.changes += 1;
  }
}

const FLICKERING = 4;
const CHANGES = 6;

export const restartPolicyTests: readonly Test[] = [
  {
    name: 'restart/policies',
    title:
      'Policies that were created, updated and deleted are after a restart as they were answered before.',
    requirements: ['RETENTION-DURABLE', 'RETENTION-UPDATE', 'RETENTION-CREATE', 'RETENTION-LIST'],
    needs: ['restart'],
    phase: 'disruptive',
    run: async (t) => {
      await t.now();
      const policies = new Policies(t);
      const held = await holdLog(t);
      const [low, middle, high] = (await versionsAhead(t, 3)) as [bigint, bigint, bigint];
      const [created, raised, lowered, deleted, again] = ['a', 'b', 'c', 'd', 'e'].map((end) =>
        t.policyId(end),
      ) as [string, string, string, string, string];
      await policies.set(created, middle, 201);
      await policies.set(raised, low, 201);
      await policies.set(raised, high, 200);
      await policies.set(lowered, high, 201);
      await policies.set(lowered, low, 200);
      await policies.set(deleted, middle, 201);
      await policies.remove(deleted);
      await policies.set(again, low, 201);
      await policies.remove(again);
      await policies.set(again, high, 201);
      await restartServer(t);
      await checkPolicies(
        t,
        policies,
        new Map([
          [created, [middle]],
          [raised, [high]],
          [lowered, [low]],
          [deleted, [undefined]],
          [again, [high]],
        ]),
      );
      await policies.set(created, high, 200);
      await policies.set(deleted, low, 201);
      await policies.remove(raised);
      await restartServer(t);
      await checkPolicies(
        t,
        policies,
        new Map([
          [created, [high]],
          [raised, [undefined]],
          [lowered, [low]],
          [deleted, [low]],
          [again, [high]],
        ]),
      );
      await held.release();
    },
  },
  {
    name: 'restart/policies-at-the-kill',
    title: 'A change of a policy that was answered just before the server was killed holds.',
    requirements: ['RETENTION-DURABLE'],
    needs: ['restart'],
    phase: 'disruptive',
    run: async (t) => {
      await t.now();
      const policies = new Policies(t);
      const held = await holdLog(t);
      const versions = await versionsAhead(t, 5);
      for (let round = 0; round < t.scale(1, 2); round += 1) {
        const flickering = Array.from(
          { length: FLICKERING },
          (): Flickering => ({ id: t.policyId(), settled: undefined, pending: undefined, changes: 0 }),
        );
        let over = false;
        const stop = (): void => {
          over = true;
        };
        const work = flickering.map((policy) => flicker(policies, policy, versions, () => over));
        const ended = Promise.allSettled(work);
        try {
          await t.until('policies to be changed', 'RETENTION-UPDATE', async () =>
            flickering.every(({ changes }) => changes >= CHANGES) ? true : undefined,
          );
          await restartServer(t, { work, stop });
        } finally {
          stop();
          await ended;
        }
        const states = ({ settled, pending }: Flickering): (bigint | undefined)[] =>
          pending === undefined ? [settled] : [settled, pending.to];
        const found = await checkPolicies(
          t,
          policies,
          new Map(flickering.map((one) => [one.id, states(one)])),
        );
        await checkPolicies(t, policies, new Map([...found].map(([id, version]) => [id, [version]])));
        for (const { id } of flickering) await policies.delete(id);
      }
      await held.release();
    },
  },
];
