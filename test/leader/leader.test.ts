import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LeaderRig, settle } from '../support/leader-rig.js';

const REUSED = { kind: 'refused', refusal: { kind: 'request-id-reused' } };
const UNAVAILABLE = { kind: 'refused', refusal: { kind: 'unavailable' } };
const OVERLOADED = { kind: 'refused', refusal: { kind: 'overloaded' } };
const UNKNOWN = { kind: 'refused', refusal: { kind: 'outcome-unknown' } };

describe('versions', () => {
  test('start at 1 in an empty log and are contiguous', async () => {
    const rig = await LeaderRig.started();
    assert.deepEqual(rig.leader.latest, { version: 0, leaderId: 'leader-1' });
    const tags = rig.submit({ writes: ['a'] }, { writes: ['b'] }, { writes: [] });
    rig.log.sync();
    const versions = tags.map((tag) => {
      const outcome = rig.answers.get(tag);
      return outcome?.kind === 'committed' ? outcome.version : outcome;
    });
    assert.deepEqual(versions, [1, 2, 3]);
  });

  test('of a new term lie above all that the old one can have issued', async () => {
    const rig = await LeaderRig.started({ maxInFlight: 10 });
    rig.commit({ writes: ['a'] });
    rig.submit({ writes: ['b'] }, { writes: ['c'] });
    rig.log.fail();
    await settle();
    const outcome = rig.commit({ writes: ['d'] });
    assert.deepEqual(outcome, { kind: 'committed', version: 12, leaderId: 'leader-2' });
  });

  test('stamp times that never go back', async () => {
    const rig = await LeaderRig.started();
    rig.commit({ writes: ['a'] });
    rig.nowMs -= 3_600_000;
    rig.commit({ writes: ['b'] });
    assert.deepEqual(
      rig.accepted.map((batch) => batch.lastTimestampMs),
      [1_000_000, 1_000_000],
    );
  });
});

describe('durability', () => {
  test('nothing is answered committed, and no version is reported, before it is durable', async () => {
    const rig = await LeaderRig.started();
    const [tag] = rig.submit({ writes: ['a'] });
    await settle();
    assert.equal(rig.answers.get(tag!), undefined);
    assert.equal(rig.leader.latest?.version, 0);
    rig.log.sync();
    assert.deepEqual(rig.answers.get(tag!), { kind: 'committed', version: 1, leaderId: 'leader-1' });
    assert.equal(rig.leader.latest?.version, 1);
  });

  test('only what one sync covered is answered', async () => {
    const rig = await LeaderRig.started();
    const [first] = rig.submit({ writes: ['a'] });
    const [second] = rig.submit({ writes: ['b'] });
    rig.log.sync(1);
    assert.equal(rig.answers.get(first!)?.kind, 'committed');
    assert.equal(rig.answers.get(second!), undefined);
  });

  test('a failed log makes outcomes unknown, ends the term, and a new one starts', async () => {
    const rig = await LeaderRig.started();
    const [accepted] = rig.submit({ writes: ['a'] });
    const [waiting] = rig.submit({ reads: [{ key: 'a', version: 0 }], writes: ['b'] });
    rig.log.startError = new Error('ENOSPC');
    rig.log.fail();
    assert.deepEqual(rig.answers.get(accepted!), UNKNOWN);
    assert.deepEqual(rig.answers.get(waiting!), UNAVAILABLE);
    assert.equal(rig.leader.available, false);
    assert.equal(rig.leader.latest, undefined);
    const [during] = rig.submit({ leaderId: 'leader-1', writes: ['c'] });
    assert.deepEqual(rig.answers.get(during!), UNAVAILABLE);
    await settle();
    rig.log.startError = undefined;
    await settle();
    assert.equal(rig.leader.available, true);
    assert.equal(rig.commit({ writes: ['d'] }).kind, 'committed');
    assert.ok(rig.events.includes('delayed'));
  });
});

describe('preconditions', () => {
  test('a point read conflicts with a newer write, and the answer names a version to retry with', async () => {
    const rig = await LeaderRig.started();
    rig.commit({ writes: ['a'] });
    const outcome = rig.commit({
      reads: [{ key: 'a', version: 0 }, { key: 'b' }],
      readVersion: 0,
      writes: ['b'],
    });
    assert.deepEqual(outcome, { kind: 'not-committed', conflicts: [0], version: 1, leaderId: 'leader-1' });
    assert.equal(rig.commit({ reads: [{ key: 'a', version: 1 }], writes: ['b'] }).kind, 'committed');
  });

  test('a transaction does not conflict with its own writes, but with those accepted before it', async () => {
    const rig = await LeaderRig.started();
    const read = [{ begin: 'a', end: 'c', version: 0 }];
    const [first, second] = rig.submit({ reads: read, writes: ['a', 'b'] }, { reads: read, writes: ['z'] });
    rig.log.sync();
    assert.equal(rig.answers.get(first!)?.kind, 'committed');
    assert.equal(rig.answers.get(second!)?.kind, 'not-committed');
  });

  test('a conflict with a write that is not durable waits for it, and only for it', async () => {
    const rig = await LeaderRig.started();
    rig.submit({ writes: ['a'] });
    const [conflict] = rig.submit({ reads: [{ key: 'a', version: 0 }], readVersion: 0 });
    rig.submit({ writes: ['unrelated'] });
    assert.equal(rig.answers.get(conflict!), undefined);
    rig.log.sync(1);
    const outcome = rig.answers.get(conflict!);
    assert.deepEqual(outcome, { kind: 'not-committed', conflicts: [0], version: 1, leaderId: 'leader-1' });
  });

  test('another leader ID is not committed with every precondition listed', async () => {
    const rig = await LeaderRig.started();
    const [tag] = rig.submit({
      leaderId: 'somebody-else',
      reads: [{ key: 'a' }, { begin: 'b', end: 'c' }],
      writes: ['a'],
    });
    assert.deepEqual(rig.answers.get(tag!), {
      kind: 'not-committed',
      conflicts: [0, 1],
      version: 0,
      leaderId: 'leader-1',
    });
    assert.equal(rig.log.queuedBatches, 0);
  });

  test('versions ahead of the log are refused', async () => {
    const rig = await LeaderRig.started();
    rig.commit({ writes: ['a'] });
    const ahead = { kind: 'refused', refusal: { kind: 'version-ahead-of-log', acceptedVersion: 1 } };
    assert.deepEqual(rig.commit({ readVersion: 2 }), ahead);
    assert.deepEqual(rig.commit({ reads: [{ key: 'x', version: 3 }] }), ahead);
    assert.equal(rig.leader.inFlightCount, 0);
  });

  test('after a new term the version that was durable is good, and older ones are conflicts', async () => {
    const rig = await LeaderRig.started();
    rig.commit({ writes: ['a'] });
    rig.commit({ writes: ['b'] });
    rig.log.fail();
    await settle();
    assert.equal(rig.leader.latest?.version, 2);
    assert.equal(rig.commit({ reads: [{ key: 'a', version: 1 }], readVersion: 2 }).kind, 'not-committed');
    assert.equal(rig.commit({ reads: [{ key: 'a', version: 2 }] }).kind, 'committed');
  });

  test('reads below the window are conflicts', async () => {
    const rig = await LeaderRig.started({ windowVersions: 5 });
    for (let count = 0; count < 10; count += 1) rig.commit({ writes: ['other'] });
    const old = rig.commit({ reads: [{ key: 'untouched', version: 1 }] });
    assert.equal(old.kind, 'not-committed');
    assert.equal(rig.commit({ reads: [{ key: 'untouched', version: 9 }] }).kind, 'committed');
  });
});

describe('request IDs', () => {
  const id = 'the-one-id-of-this-test';

  test('are refused while the first use is in flight, also in one batch', async () => {
    const rig = await LeaderRig.started();
    const [first, twin] = rig.submit({ id, writes: ['a'] }, { id, writes: ['b'] });
    const [later] = rig.submit({ id, writes: ['c'] });
    rig.log.sync();
    assert.equal(rig.answers.get(first!)?.kind, 'committed');
    assert.deepEqual(rig.answers.get(twin!), REUSED);
    assert.deepEqual(rig.answers.get(later!), REUSED);
  });

  test('are refused after they were committed, also by the next leader on the same log', async () => {
    const rig = await LeaderRig.started();
    rig.commit({ id, writes: ['a'] });
    const [again] = rig.submit({ id, writes: ['b'] });
    await settle();
    assert.deepEqual(rig.answers.get(again!), REUSED);

    const next = await LeaderRig.started({}, rig.log);
    const [afterRestart] = next.submit({ id, writes: ['b'] });
    await settle();
    assert.deepEqual(next.answers.get(afterRestart!), REUSED);
    assert.equal(next.log.queuedBatches, 0);
  });

  test('may come again when the first use was not committed', async () => {
    const rig = await LeaderRig.started();
    rig.commit({ writes: ['a'] });
    assert.equal(rig.commit({ id, reads: [{ key: 'a', version: 0 }] }).kind, 'not-committed');
    assert.equal(rig.commit({ id, reads: [{ key: 'a', version: 1 }] }).kind, 'committed');
  });

  test('a late repetition of the same request is found beyond the window in memory', async () => {
    const rig = await LeaderRig.started({ requestIdWindowVersions: 2 });
    const repeated = { id, readVersion: 0, writes: ['a'] };
    rig.commit(repeated);
    for (let count = 0; count < 10; count += 1) rig.commit({ writes: ['other'] });
    const [again] = rig.submit(repeated);
    await settle();
    assert.deepEqual(rig.answers.get(again!), REUSED);
    assert.deepEqual(rig.log.lookups, [id]);
  });

  test('with an equal hash only are let through', async () => {
    const rig = await LeaderRig.started();
    const earlier = rig.request({ id: 'the-earlier-id-of-this-test', writes: ['a'] });
    rig.commit({ id: 'the-earlier-id-of-this-test', writes: ['a'] });
    const later = rig.request({ id, writes: ['b'] });
    // The hash of the earlier ID, forged into the packed form of the later one.
    later.transaction.set(earlier.transaction.subarray(16, 24), 16);
    const tag = rig.submitRequest(later);
    await settle();
    rig.log.sync();
    assert.equal(rig.answers.get(tag)?.kind, 'committed');
    assert.deepEqual(rig.log.lookups, [id]);
  });
});

describe('bounds', () => {
  test('commits beyond the number in flight are refused and cost nothing', async () => {
    const rig = await LeaderRig.started({ maxInFlight: 2 });
    const tags = rig.submit({ writes: ['a'] }, { writes: ['b'] }, { writes: ['c'] });
    assert.deepEqual(rig.answers.get(tags[2]!), OVERLOADED);
    rig.log.sync();
    assert.equal(rig.answers.get(tags[1]!)?.kind, 'committed');
    assert.equal(rig.commit({ writes: ['c'] }).kind, 'committed');
    assert.equal(rig.leader.inFlightCount, 0);
    assert.equal(rig.leader.inFlightBytes, 0);
  });

  test('the same by bytes; one larger than the bound is let in alone', async () => {
    const rig = await LeaderRig.started({ maxInFlightBytes: 200 });
    const [large] = rig.submit({ writes: ['x'.repeat(1000)] });
    const [second] = rig.submit({ writes: ['a'] });
    assert.deepEqual(rig.answers.get(second!), OVERLOADED);
    rig.log.sync();
    assert.equal(rig.answers.get(large!)?.kind, 'committed');
  });
});

describe('status', () => {
  const id = 'the-one-id-of-this-test';

  test('of a committed request gives its version and its leader', async () => {
    const rig = await LeaderRig.started();
    rig.commit({ id, writes: ['a'] });
    assert.deepEqual(await rig.leader.statusOf(id, 0), {
      status: 'committed',
      version: 1,
      leaderId: 'leader-1',
    });
    assert.equal(rig.leader.fenceCount, 0);
  });

  test('waits while the request is in flight', async () => {
    const rig = await LeaderRig.started();
    rig.submit({ id, writes: ['a'] });
    let answered = false;
    const status = rig.leader.statusOf(id, 0).then((answer) => {
      answered = true;
      return answer;
    });
    await settle();
    assert.equal(answered, false);
    rig.log.sync();
    assert.equal((await status).status, 'committed');
  });

  test('fences an ID that was not found', async () => {
    const rig = await LeaderRig.started();
    assert.deepEqual(await rig.leader.statusOf(id, 0), { status: 'id_not_found' });
    assert.deepEqual(rig.commit({ id, writes: ['a'] }), REUSED);
    assert.equal(rig.leader.fenceCount, 1);
  });

  test('fences before it searches, so that no commit slips in between', async () => {
    const rig = await LeaderRig.started();
    let open: () => void = () => undefined;
    rig.log.lookupGate = new Promise((resolve) => {
      open = resolve;
    });
    const status = rig.leader.statusOf(id, 0);
    await settle();
    assert.deepEqual(rig.commit({ id, writes: ['a'] }), REUSED);
    open();
    assert.deepEqual(await status, { status: 'id_not_found' });
  });

  test('of a refused request is not found, and the ID is fenced', async () => {
    const rig = await LeaderRig.started();
    rig.submit({ writes: ['a'] });
    rig.submit({ id, reads: [{ key: 'a', version: 0 }], readVersion: 0 });
    const status = rig.leader.statusOf(id, 0);
    await settle();
    rig.log.sync();
    assert.deepEqual(await status, { status: 'id_not_found' });
    assert.deepEqual(rig.commit({ id }), REUSED);
  });

  test('says so when the log was truncated above min_version', async () => {
    const rig = await LeaderRig.started();
    rig.commit({ id, writes: ['a'] });
    rig.commit({ writes: ['b'] });
    await rig.log.truncate(1);
    assert.deepEqual(await rig.leader.statusOf(id, 0), { status: 'log_truncated' });
    assert.deepEqual(await rig.leader.statusOf('another-id-of-this-test', 1), { status: 'id_not_found' });
  });

  test('is unavailable while no term is open, also for a request whose outcome was lost', async () => {
    const rig = await LeaderRig.started();
    rig.submit({ id, writes: ['a'] });
    const status = rig.leader.statusOf(id, 0);
    await settle();
    rig.log.startError = new Error('ENOSPC');
    rig.log.fail();
    assert.deepEqual(await status, { status: 'unavailable' });
    rig.log.startError = undefined;
    await settle();
    assert.deepEqual(await rig.leader.statusOf(id, 0), { status: 'id_not_found' });
  });

  test('a lookup that a new term overtakes fences in the new term', async () => {
    const rig = await LeaderRig.started();
    let open: () => void = () => undefined;
    rig.log.lookupGate = new Promise((resolve) => {
      open = resolve;
    });
    const status = rig.leader.statusOf(id, 0);
    await settle();
    rig.log.fail();
    await settle();
    open();
    assert.deepEqual(await status, { status: 'id_not_found' });
    assert.deepEqual(rig.commit({ id }), REUSED);
  });

  test('a new term starts when the fences run out', async () => {
    const rig = await LeaderRig.started({ maxFences: 2 });
    await rig.leader.statusOf('first-id-of-this-test', 0);
    await rig.leader.statusOf('second-id-of-this-test', 0);
    const [inFlight] = rig.submit({ writes: ['a'] });
    assert.deepEqual(await rig.leader.statusOf(id, 0), { status: 'unavailable' });
    assert.equal(rig.leader.available, false);
    rig.log.sync();
    assert.equal(rig.answers.get(inFlight!)?.kind, 'committed');
    await settle();
    assert.equal(rig.leader.latest?.leaderId, 'leader-2');
    assert.deepEqual(await rig.leader.statusOf(id, 0), { status: 'id_not_found' });
  });
});

describe('stopping', () => {
  test('answers what is in flight and refuses the rest', async () => {
    const rig = await LeaderRig.started();
    const [inFlight] = rig.submit({ writes: ['a'] });
    const stopped = rig.leader.stop();
    const [late] = rig.submit({ leaderId: 'leader-1', writes: ['b'] });
    assert.deepEqual(rig.answers.get(late!), UNAVAILABLE);
    rig.log.sync();
    await stopped;
    assert.equal(rig.answers.get(inFlight!)?.kind, 'committed');
    assert.deepEqual(rig.events.slice(-2), ['durable 1', 'ended leader-1']);
  });
});
