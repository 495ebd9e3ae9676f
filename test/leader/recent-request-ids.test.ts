import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RecentRequestIds } from '../../src/leader/recent-request-ids.js';

/** A hash that is different for every version. */
const laneOf = (version: number) => Math.imul(version, 2654435761) >>> 0;

describe('recent request IDs', () => {
  test('hold at least the window, and know what they cover', () => {
    const recent = new RecentRequestIds(100, 0);
    for (let version = 1; version <= 1000; version += 1) {
      recent.add(laneOf(version), version, version - 1);
      assert.ok(recent.coveredFrom <= Math.max(0, version - 100), 'the window is covered');
      assert.ok(recent.coveredFrom >= version - 200, 'no more than twice the window is kept');
      for (let covered = recent.coveredFrom + 1; covered <= version; covered += 1) {
        assert.ok(recent.mayHold(laneOf(covered), covered), `${covered} of ${version}`);
      }
    }
    assert.equal(recent.mayHold(laneOf(1), 1), false);
  });

  test('cover nothing that is in doubt when a whole segment is added in any order', () => {
    const recent = new RecentRequestIds(4, 0);
    const lastVersion = 40;
    for (let version = lastVersion; version >= 1; version -= 1)
      recent.add(laneOf(version), version, lastVersion);
    assert.equal(recent.coveredFrom, lastVersion);
    for (let version = 41; version <= 44; version += 1) recent.add(laneOf(version), version, version - 1);
    for (let version = recent.coveredFrom + 1; version <= 44; version += 1) {
      assert.ok(recent.mayHold(laneOf(version), version), `${version}`);
    }
  });

  test('take the hash zero, and the same hash twice', () => {
    const recent = new RecentRequestIds(10, 0);
    assert.equal(recent.mayHold(0, 0), false);
    recent.add(0, 0, 0);
    recent.add(5, 0, 1);
    recent.add(5, 0, 2);
    assert.equal(recent.mayHold(0, 0), true);
    assert.equal(recent.mayHold(5, 0), true);
    assert.equal(recent.mayHold(0, 5), false);
  });
});
