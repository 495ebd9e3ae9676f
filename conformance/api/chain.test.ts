import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../model/ledger.js';
import { LogView } from '../model/log-view.js';
import { Witness } from '../model/witness.js';
import { breaks } from '../testing/breaks.js';
import { eventAt } from '../testing/events.js';
import { Chain } from './chain.js';

interface Query {
  readonly after?: bigint;
  readonly durable?: boolean;
}

/** A stream to which events are given as `[version, prev_version, leader]`, and checkpoints as a version. */
class Rig {
  readonly view = new LogView(new Ledger());
  readonly witness = new Witness();
  readonly chain: Chain;
  /** The leader of the last transaction, which checkpoints name. */
  leader = 'A';

  /** @param before what other streams have shown */
  constructor(
    query: Query,
    { committed = -1n, start = 0n, before = [] as readonly (readonly [bigint, bigint])[] } = {},
  ) {
    this.view.start = start;
    for (const [version, prev] of before) this.view.add(eventAt(version, prev));
    this.chain = new Chain(query, committed, this.view, this.witness);
  }

  give(...items: readonly (bigint | readonly [bigint, bigint, string?])[]): this {
    for (const item of items) {
      if (typeof item === 'bigint') this.chain.checkpointAt(item, this.leader);
      else {
        const [version, prev, leaderId = 'A'] = item;
        this.leader = leaderId;
        // What two leaders issue for one version are two transactions.
        this.chain.transaction(eventAt(version, prev, { leaderId, requestId: `${version} of ${leaderId}` }));
      }
    }
    return this;
  }

  get shown(): readonly bigint[] {
    return this.view.inOrder().map(({ version }) => version);
  }
}

const EARLY = { durable: false };

test('a chain without gaps is right, and goes into the view of the log', () => {
  const rig = new Rig({ after: 5n }).give([7n, 5n], [8n, 7n], [20n, 8n]);
  assert.equal(rig.chain.last, 20n);
  assert.equal(rig.chain.checkpoint, undefined);
  assert.equal(rig.chain.unprovenStart, undefined);
  assert.deepEqual(rig.shown, [7n, 8n, 20n]);
  assert.deepEqual(rig.witness.knowledge().transaction, {
    version: 20n,
    by: 'a durable stream',
    whenBehind: 'STREAM-DURABLE-ONLY',
    whenAhead: 'LOG-VERSIONS-GROW',
  });
});

test('no transaction is its own predecessor, or has a later one', () => {
  breaks('EVENT-PREV-VERSION', () => new Rig({ after: 5n }).give([7n, 7n]));
  breaks('EVENT-PREV-VERSION', () => new Rig({ after: 5n }).give([7n, 8n]));
});

test('a gap is told', () => {
  for (const query of [{ after: 5n }, {}, { after: 5n, ...EARLY }])
    breaks('STREAM-COMPLETE', () => new Rig(query).give([7n, 5n], [9n, 8n]));
});

test('a repetition, or a step back, is told', () => {
  for (const query of [{ after: 5n }, { after: 5n, ...EARLY }]) {
    breaks('STREAM-COMPLETE', () => new Rig(query).give([7n, 5n], [7n, 5n]));
    breaks('STREAM-COMPLETE', () => new Rig(query).give([7n, 5n], [8n, 7n], [7n, 5n]));
  }
});

test('a predecessor that was not the last transaction is told', () => {
  for (const query of [{ after: 5n }, { after: 5n, ...EARLY }])
    breaks('EVENT-PREV-VERSION', () => new Rig(query).give([7n, 5n], [8n, 6n]));
});

test('what is at or below after does not come', () => {
  for (const version of [4n, 5n])
    breaks('STREAM-AFTER', () => new Rig({ after: 5n }).give([version, version - 1n]));
  breaks('STREAM-AFTER', () => new Rig({ after: 0n }).give([0n, -1n]));
});

test('the first transaction follows after without a gap', () => {
  breaks('STREAM-AFTER', () => new Rig({ after: 5n }).give([7n, 6n]));
  breaks('STREAM-AFTER', () => new Rig({ after: 5n }, { start: 5n }).give([7n, 6n]));
});

test('where after is no version of a transaction, the predecessor of the first is below it', () => {
  const rig = new Rig({ after: 5n }).give([7n, 3n], [8n, 7n]);
  assert.equal(rig.chain.last, 8n);
});

test('where after is known to be that of a transaction, this is the predecessor', () => {
  breaks('STREAM-AFTER', () => new Rig({ after: 5n }, { before: [[5n, 3n]] }).give([7n, 3n]));
  new Rig({ after: 5n }, { before: [[5n, 3n]] }).give([7n, 5n]);
});

test('below the run, a log may begin later than after, unless something is known there', () => {
  const rig = new Rig({ after: 0n }, { start: 100n }).give([7n, 5n]);
  assert.equal(rig.chain.unprovenStart, 5n);
  breaks('STREAM-AFTER', () => new Rig({ after: 0n }, { start: 100n, before: [[5n, 3n]] }).give([7n, 5n]));
  breaks('STREAM-COMPLETE', () => new Rig({ after: 0n }, { start: 100n }).give([7n, 5n], [9n, 8n]));
});

test('without after, what was committed before does not come', () => {
  for (const version of [5n, 4n])
    breaks('STREAM-AFTER-DEFAULT', () => new Rig({}, { committed: 5n }).give([version, 3n]));
  assert.equal(new Rig({}, { committed: 5n }).give([6n, 5n]).chain.last, 6n);
  assert.equal(new Rig({}, { committed: 5n }).give([9n, 8n]).chain.last, 9n);
});

test('a durable stream has no checkpoints', () => {
  breaks('STREAM-DURABLE-DEFAULT', () => new Rig({}).give(5n));
  breaks('STREAM-DURABLE-NO-CHECKPOINT', () => new Rig({ durable: true }).give(5n));
  assert.equal(new Rig(EARLY).give(5n).chain.checkpoint, 5n);
});

test('checkpoints do not go back', () => {
  assert.equal(new Rig(EARLY).give(5n, 5n, 6n).chain.checkpoint, 6n);
  breaks('CHECKPOINT-GROWS', () => new Rig(EARLY).give(5n, 4n));
});

test('nothing at or below a checkpoint comes after it', () => {
  for (const version of [6n, 7n])
    breaks('CHECKPOINT-NOT-AHEAD', () => new Rig({ after: 5n, ...EARLY }).give(7n, [version, 5n]));
  assert.equal(new Rig({ after: 5n, ...EARLY }).give([7n, 5n], 7n, [8n, 7n]).chain.last, 8n);
});

test('what is accepted is in the log once a checkpoint is at or above it', () => {
  const rig = new Rig({ after: 5n, ...EARLY }).give([6n, 5n], [7n, 6n], [8n, 7n]);
  assert.deepEqual(rig.shown, []);
  assert.equal(rig.witness.knowledge().committed.by, 'nothing');
  rig.give(7n);
  assert.deepEqual(rig.shown, [6n, 7n]);
  assert.deepEqual(rig.witness.knowledge().transaction, {
    version: 7n,
    by: 'a checkpoint',
    whenBehind: 'CHECKPOINT-DURABLE',
    whenAhead: 'LOG-VERSIONS-GROW',
  });
  rig.give(9n);
  assert.deepEqual(rig.shown, [6n, 7n, 8n]);
  assert.deepEqual(rig.witness.knowledge().stated, {
    version: 9n,
    by: 'a checkpoint',
    whenBehind: 'CHECKPOINT-DURABLE',
    whenAhead: 'CHECKPOINT-DURABLE',
  });
});

test('a new leader goes on from what it has of what was accepted', () => {
  const accepted = [[6n, 5n], [7n, 6n], 6n, [8n, 7n]] as const;
  const rig = (): Rig => new Rig({ after: 5n, ...EARLY }).give(...accepted);
  for (const prev of [6n, 7n, 8n]) {
    const { chain } = rig().give([10n, prev, 'B'], [11n, 10n, 'B']);
    assert.equal(chain.last, 11n);
  }
  breaks('STREAM-COMPLETE', () => rig().give([10n, 9n, 'B']));
  breaks('EVENT-PREV-VERSION', () => rig().give([10n, 7n, 'A']));
});

test('a new leader may issue versions again that were only accepted', () => {
  const rig = new Rig({ after: 5n, ...EARLY }).give([6n, 5n], 6n, [7n, 6n], [7n, 6n, 'B'], 7n);
  assert.deepEqual(rig.shown, [6n, 7n]);
  assert.equal(rig.view.get(7n)?.leaderId, 'B');
});

test('what a new leader discarded does not go into the log', () => {
  const rig = new Rig({ after: 5n, ...EARLY }).give([6n, 5n], 6n, [7n, 6n], [8n, 7n], [10n, 7n, 'B'], 10n);
  assert.deepEqual(rig.shown, [6n, 7n, 10n]);
});

test('a checkpoint of a new leader says nothing of what the one before it accepted', () => {
  const rig = new Rig({ after: 5n, ...EARLY }).give([6n, 5n], 6n, [15n, 6n]);
  rig.chain.checkpointAt(19n, 'B');
  assert.deepEqual(rig.shown, [6n]);
});

test('a new leader does not go back behind what was durable', () => {
  breaks('EVENT-PREV-VERSION', () =>
    new Rig({ after: 5n, ...EARLY }).give([6n, 5n], [7n, 6n], 7n, [8n, 7n], [10n, 6n, 'B']),
  );
  breaks('EVENT-PREV-VERSION', () =>
    new Rig({ after: 5n, ...EARLY }).give([6n, 5n], [7n, 6n], 7n, [10n, 6n, 'B']),
  );
});

test('a new leader may go back behind the first that was accepted, not behind what was asked for', () => {
  assert.equal(new Rig({ after: 5n, ...EARLY }).give([6n, 4n], [7n, 4n, 'B']).chain.last, 7n);
  assert.equal(new Rig(EARLY, { committed: 5n }).give([6n, 5n], [7n, 5n, 'B']).chain.last, 7n);
  breaks('EVENT-PREV-VERSION', () =>
    new Rig({ after: 5n, ...EARLY }).give([8n, 5n], [9n, 8n], [10n, 6n, 'B']),
  );
});

test('a durable stream goes on without a gap also when the leader changes', () => {
  assert.equal(new Rig({ after: 5n }).give([6n, 5n], [8n, 6n, 'B']).chain.last, 8n);
  for (const prev of [5n, 6n])
    breaks('EVENT-PREV-VERSION', () => new Rig({ after: 5n }).give([6n, 5n], [7n, 6n], [8n, prev, 'B']));
});
