import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SegmentSummary } from '../../src/log/log.js';
import {
  removableSegments,
  type TruncationLimits,
  TruncationWorker,
} from '../../src/retention/truncation.js';
import { MemoryLog } from '../support/memory-log.js';

const NO_LIMITS: TruncationLimits = {
  retainMs: undefined,
  retainVersions: undefined,
  retainBytes: undefined,
  requestIdRetainMs: 0,
  requestIdRetainVersions: 0,
};

/** Segments of ten transactions and 100 bytes, the newest record of segment n written at n seconds; the last is open. */
const segments = (count: number): SegmentSummary[] =>
  Array.from({ length: count }, (_, index) => ({
    firstVersion: 10 * index + 1,
    lastVersion: 10 * index + 10,
    bytes: 100,
    lastTimestampMs: 1000 * (index + 1),
    sealed: index < count - 1,
  }));

const NOW_MS = 10_000;
const removable = (limits: Partial<TruncationLimits>, hold = Number.POSITIVE_INFINITY, all = segments(5)) =>
  removableSegments(all, { ...NO_LIMITS, ...limits }, hold, NOW_MS);

describe('removable segments', () => {
  test('there are none without a limit', () => {
    assert.equal(removable({}), 0);
  });

  test('never the one being written', () => {
    assert.equal(removable({ retainVersions: 0, retainMs: 0, retainBytes: 0 }), 4);
  });

  test('beyond the number of transactions, counted, not subtracted', () => {
    assert.equal(removable({ retainVersions: 10 }), 4);
    assert.equal(removable({ retainVersions: 11 }), 3);
    assert.equal(removable({ retainVersions: 50 }), 0);
    const withGap = segments(2).concat({
      firstVersion: 10_021,
      lastVersion: 10_022,
      bytes: 100,
      lastTimestampMs: 6000,
      sealed: false,
    });
    const sealed = withGap.map((segment, index) => ({ ...segment, sealed: index < 2 }));
    assert.equal(removable({ retainVersions: 12 }, undefined, sealed), 1);
  });

  test('beyond the age of their newest record', () => {
    assert.equal(removable({ retainMs: 8000 }), 2);
    assert.equal(removable({ retainMs: 8001 }), 1);
  });

  test('only while the log is larger', () => {
    assert.equal(removable({ retainBytes: 500 }), 0);
    assert.equal(removable({ retainBytes: 499 }), 1);
    assert.equal(removable({ retainBytes: 200 }), 3);
  });

  test('beyond all limits that are set', () => {
    assert.equal(removable({ retainVersions: 20, retainMs: 9000, retainBytes: 0 }), 1);
  });

  test('below the lowest hold, which keeps its own version', () => {
    assert.equal(removable({ retainVersions: 0 }, 21), 2);
    assert.equal(removable({ retainVersions: 0 }, 20), 1);
    assert.equal(removable({ retainVersions: 0 }, 0), 0);
  });

  test('request IDs stay findable for their time and number', () => {
    assert.equal(removable({ retainVersions: 0, requestIdRetainMs: 9000 }), 1);
    assert.equal(removable({ retainVersions: 0, requestIdRetainVersions: 40 }), 1);
  });

  test('only what is sealed, and nothing behind what stays', () => {
    const unsealed = segments(5).map((segment, index) => ({ ...segment, sealed: index !== 1 }));
    assert.equal(removable({ retainVersions: 0 }, undefined, unsealed), 1);
  });
});

describe('the truncation worker', () => {
  test('tries again what could not be removed, although nothing more is removable', async () => {
    const log = new MemoryLog();
    const calls: number[] = [];
    let held = segments(3);
    log.segments = () => held;
    log.truncate = async (count) => {
      calls.push(count);
      held = held.slice(count);
      log.truncatedThrough = 20;
      if (calls.length === 1) throw new Error('EIO');
    };
    const events: string[] = [];
    const worker = new TruncationWorker(
      log,
      () => Number.POSITIVE_INFINITY,
      { ...NO_LIMITS, retainVersions: 0 },
      {
        truncated: (count, through) => events.push(`truncated ${count} through ${through}`),
        truncationFailed: () => events.push('failed'),
      },
      () => NOW_MS,
    );
    await worker.consider();
    await worker.consider();
    await worker.consider();
    assert.deepEqual(calls, [2, 0]);
    assert.deepEqual(events, ['truncated 2 through 20', 'failed']);
  });
});
