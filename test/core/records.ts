import { Core } from '../../src/core/core.js';
import { Decider } from '../../src/core/decider.js';
import type { RecordBatch } from '../../src/core/record-batch.js';
import { TransactionPacker } from '../../src/core/transaction-packer.js';
import type { Write } from './conflict-model.js';

export interface RecordContent {
  readonly requestId: string;
  readonly operations: readonly Write[];
}

export interface RecordStamp {
  readonly firstVersion: number;
  readonly prevVersion: number;
  readonly durableVersion: number;
  readonly timestampMs: number;
}

/** Encodes transactions without preconditions as records. */
export function encodeRecords(contents: readonly RecordContent[], stamp: RecordStamp): RecordBatch {
  const core = Core.load();
  const packer = new TransactionPacker(core);
  const decider = new Decider(core, { windowVersions: 0, conflictBytesMax: 2 ** 24, floor: 0 });
  const packed = contents.map(({ requestId, operations }) => {
    packer.reset();
    for (const operation of operations) {
      if (operation.kind === 'write') packer.write(operation.key, operation.value);
      else if (operation.kind === 'delete') packer.delete(operation.key);
      else packer.rangeDelete(operation.begin, operation.end);
    }
    return packer.finish(requestId);
  });
  const { records } = decider.decide(packed, stamp);
  if (records === undefined) throw new Error('nothing was committed');
  return records;
}
