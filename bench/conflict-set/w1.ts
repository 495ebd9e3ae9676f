import { SplitMix } from '../splitmix.js';
import { BatchWriter, type KeySet } from './batch.js';
import { W1_REFERENCE } from './foundationdb.js';
import type { Workload } from './workload.js';

/** W1: FoundationDB's own benchmark. 500 batches of 2,500 transactions, each reads one range and writes another. */
const BATCHES = 500;
const TRANSACTIONS = 2500;
/** How far snapshots are behind the version at which a batch commits. */
const WINDOW = 50;

/** Twelve dots and the number as 4 bytes. */
const keys: KeySet = {
  lengthMax: 16,
  put(bytes, view, at, key) {
    bytes.fill(0x2e, at, at + 12);
    view.setUint32(at + 12, key);
    return 16;
  },
};

/** Makes all batches, as FoundationDB's benchmark does before its clock starts. */
export function w1(): Workload {
  const packed = makeBatches();
  return {
    name: 'W1',
    window: WINDOW,
    perBatch: TRANSACTIONS,
    whole: { filled: 0, timed: BATCHES },
    part: { filled: 0, timed: 2 * WINDOW },
    foundationDb: W1_REFERENCE,
    *batches({ timed }) {
      for (let index = 0; index < timed; index += 1) {
        yield { packed: packed[index]!, version: index + WINDOW };
      }
    },
    right: { committed: 1_182_514, checksum: 0x7ba0_4df8_562b_f604n },
  };
}

function makeBatches(): readonly Uint8Array[] {
  const random = new SplitMix(1);
  const writer = new BatchWriter(keys);
  return Array.from({ length: BATCHES }, (_, batch) => {
    writer.start(TRANSACTIONS);
    for (let transaction = 0; transaction < TRANSACTIONS; transaction += 1) {
      writer.next();
      const read = random.below(20_000_000);
      writer.read('range', batch, read, read + 1 + random.below(10));
      const write = random.below(20_000_000);
      writer.write('range', write, write + 1 + random.below(10));
    }
    return writer.finish().slice();
  });
}
