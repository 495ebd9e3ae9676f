import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  GapError,
  HeadwaterClient,
  type SubscriptionEvent,
  type TransactionEvent,
} from '../../src/client/index.js';
import { seed } from '../support/seed.js';
import { FakeClock } from './fake-clock.js';
import { type LogEntry, SimulatedService, type Step } from './simulated-service.js';

const count = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('accept' as const), count }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sync' as const), behind: fc.nat({ max: 2 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('cut' as const),
      lost: fc.nat({ max: 700 }),
      fails: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('elect' as const),
      cuts: fc.boolean(),
      skippedVersions: fc.nat({ max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('skip' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const) }) },
);
const steps = fc.array(step, { maxLength: 40 });
const chunkSizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 8 });
/** After how many events the reader is stopped and started anew from what it stored; in turn. */
const restarts = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 4 });

/** A reader that keeps what it was sent, obeys discards, and stores its state with the position. */
class Reader {
  readonly service: SimulatedService;
  readonly #client: HeadwaterClient;
  readonly #durable: boolean;
  received: TransactionEvent[] = [];
  position = 0;

  constructor(service: SimulatedService, durable: boolean) {
    this.service = service;
    this.#durable = durable;
    this.#client = new HeadwaterClient({
      url: 'http://simulated',
      fetch: service.fetch,
      clock: new FakeClock(),
      random: () => 0.5,
    });
  }

  /** Reads until the end of the script, or for `eventsMax` events. */
  async run(eventsMax: number): Promise<void> {
    this.received = this.received.filter((event) => event.version <= this.position);
    const events = this.#client.subscribe({ after: this.position, durable: this.#durable });
    let left = eventsMax;
    for await (const event of events) {
      this.#apply(event);
      assert.ok(events.position! >= this.position, 'the position never goes back');
      this.position = events.position!;
      left -= 1;
      if (left === 0 || this.position === this.service.finalVersion) return;
    }
  }

  #apply(event: SubscriptionEvent): void {
    switch (event.type) {
      case 'transaction':
        assert.equal(event.prevVersion, this.received.at(-1)?.version ?? 0, 'no gap and no repeat');
        this.received.push(event);
        return;
      case 'checkpoint':
        assert.ok(!this.#durable);
        return;
      case 'discard':
        assert.ok(!this.#durable);
        assert.ok(event.after >= this.position, 'what is durable is never taken back');
        this.received = this.received.filter(({ version }) => version <= event.after);
    }
  }

  get entries(): LogEntry[] {
    return this.received.map(({ version, prevVersion, leaderId }) => ({ version, prevVersion, leaderId }));
  }
}

for (const durable of [true, false]) {
  test(`durable=${durable}: a reader ends with the log, whatever happens on the way`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, chunkSizes, restarts, async (script, sizes, stops) => {
        const service = new SimulatedService(script, sizes);
        const reader = new Reader(service, durable);
        for (const stop of [...stops, Number.POSITIVE_INFINITY]) {
          if (reader.position !== service.finalVersion) await reader.run(stop);
        }
        assert.deepEqual(reader.entries, service.log);
      }),
      { seed, numRuns: 500 },
    );
  });

  test(`durable=${durable}: a transaction that is never sent is never passed over`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, chunkSizes, fc.nat({ max: 12 }), async (script, sizes, lost) => {
        const service = new SimulatedService(script, sizes, lost);
        const reader = new Reader(service, durable);
        await assert.rejects(reader.run(Number.POSITIVE_INFINITY), GapError);
        assert.ok(reader.received.length <= lost, 'nothing from behind the gap');
      }),
      { seed, numRuns: 300 },
    );
  });
}
