import { crc32 } from 'node:zlib';
import { decodeRecord } from '../../src/core/decode.js';
import { renderTransactions } from '../../src/core/render.js';
import { scanRecords } from '../../src/core/scan.js';
import { decodeCanonicalBase64 } from '../../src/http/base64.js';
import { freshDecider, LEADER_ID, stampAfter, type Workload } from './workload.js';

/** Two ways of doing the same: ours, and what stands for it elsewhere. */
export interface Row {
  readonly name: string;
  readonly rival: string;
  /** What both go through in one turn, in bytes. */
  readonly bytes: number;
  readonly ours: () => void;
  readonly theirs: () => void;
}

const NOTHING = new Uint8Array();

/** The rows of one size of values. */
export function rowsOf(workload: Workload): readonly Row[] {
  return [encode(workload), check(workload), decode(workload), render(workload), fromText(workload)];
}

/** Transactions to records; ours also looks for conflicts. */
function encode({ packed, objects, records }: Workload): Row {
  const { decider } = freshDecider();
  let version = 0;
  return {
    name: 'decide and encode records',
    rival: 'JSON.stringify, zlib.crc32',
    bytes: records.bytes.length,
    ours: () => {
      decider.decide(packed, stampAfter(version));
      version += packed.length;
    },
    theirs: () => {
      for (const one of objects) crc32(Buffer.from(JSON.stringify(plain(one))));
    },
  };
}

/** Whole records, checksum by checksum, as recovery reads them. */
function check({ records: { bytes, offsets } }: Workload): Row {
  const { core } = freshDecider();
  return {
    name: 'scan and check records',
    rival: 'zlib.crc32 of the same bytes',
    bytes: bytes.length,
    ours: () => {
      scanRecords(core, bytes);
    },
    theirs: () => {
      for (const [index, start] of offsets.entries())
        crc32(bytes.subarray(start, offsets[index + 1] ?? bytes.length));
    },
  };
}

/** Records to objects of JavaScript. */
function decode({ objects, records: { bytes, offsets } }: Workload): Row {
  const { core } = freshDecider();
  const texts = objects.map((one) => Buffer.from(JSON.stringify(plain(one))));
  return {
    name: 'decode records one by one',
    rival: 'JSON.parse, Buffer',
    bytes: bytes.length,
    ours: () => {
      for (const start of offsets) decodeRecord(core, bytes, start);
    },
    theirs: () => {
      for (const text of texts) {
        const { operations } = JSON.parse(text.toString()) as {
          operations: [{ key: string; value: string }];
        };
        Buffer.from(operations[0].key, 'base64');
        Buffer.from(operations[0].value, 'base64');
      }
    },
  };
}

/** Records to the text of events. */
function render({ objects, records: { bytes } }: Workload): Row {
  const { core } = freshDecider();
  const block = { bytes, leaderId: LEADER_ID };
  const frame = { prefix: NOTHING, suffix: NOTHING };
  return {
    name: 'records to event text',
    rival: 'JSON.stringify, Buffer base64',
    bytes: renderTransactions(core, block, frame).text.length,
    ours: () => {
      renderTransactions(core, block, frame);
    },
    theirs: () => {
      for (const one of objects) Buffer.from(JSON.stringify(plain(one)));
    },
  };
}

/** The base64 of values, as a client sends it, to bytes. */
function fromText({ objects }: Workload): Row {
  const texts = objects.map(({ operations }) => operations[0]!.value.toString('base64'));
  return {
    name: 'base64 to bytes, canonical',
    rival: 'Buffer.from, unchecked',
    bytes: texts.reduce((sum, { length }) => sum + length, 0),
    ours: () => {
      for (const text of texts) decodeCanonicalBase64(text);
    },
    theirs: () => {
      for (const text of texts) Buffer.from(text, 'base64');
    },
  };
}

/** One checksum of `length` bytes, as often as makes a turn long enough to measure. */
export function checksumRow(length: number): Row {
  const { core } = freshDecider();
  const bytes = new Uint8Array(length).map((_, index) => index * 31);
  const times = Math.max(1, Math.floor(2 ** 22 / length));
  const repeat = (once: () => void) => () => {
    for (let turn = 0; turn < times; turn += 1) once();
  };
  return {
    name: 'CRC-32C in memory of JavaScript',
    rival: 'zlib.crc32',
    bytes: length * times,
    ours: repeat(() => core.crc32c(bytes)),
    theirs: repeat(() => crc32(bytes)),
  };
}

const plain = (transaction: Workload['objects'][number]) => ({
  request_id: transaction.requestId,
  version: transaction.version,
  prev_version: transaction.prevVersion,
  timestamp: transaction.timestamp,
  leader_id: transaction.leaderId,
  operations: transaction.operations.map(({ type, key, value }) => ({
    type,
    key: key.toString('base64'),
    value: value.toString('base64'),
  })),
});
