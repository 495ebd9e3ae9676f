import type { Core } from './core.js';
import { OperationKind } from './packed-transaction.js';
import { RECORD } from './record-layout.js';
import { scanRecords } from './scan.js';
import { checkUint53, getUint53 } from './version.js';

export type DecodedOperation =
  | { readonly type: 'write'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'delete'; readonly key: Uint8Array }
  | { readonly type: 'range_delete'; readonly begin: Uint8Array; readonly end: Uint8Array };

export interface DecodedRecord {
  readonly requestId: string;
  readonly version: number;
  readonly prevVersion: number;
  readonly durableVersion: number;
  /** Time of acceptance, milliseconds since 1970. */
  readonly timestampMs: number;
  /** Keys and values are views of the bytes that were decoded, not copies. */
  readonly operations: readonly DecodedOperation[];
  /** Bytes of the record with its padding: the next one starts this far behind it. */
  readonly length: number;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Takes the record at `offset` apart.
 * @throws RangeError that says why, when no whole, undamaged record stands there.
 */
export function decodeRecord(core: Core, bytes: Uint8Array, offset: number): DecodedRecord {
  const record = wholeRecord(core, bytes, offset);
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const requestIdAt = RECORD.headerBytes + view.getUint32(RECORD.operationsLengthAt, true);
  const requestIdEnd = requestIdAt + view.getUint16(RECORD.requestIdLengthAt, true);
  return {
    requestId: utf8.decode(record.subarray(requestIdAt, requestIdEnd)),
    version: getUint53(view, RECORD.versionAt),
    prevVersion: getUint53(view, RECORD.prevVersionAt),
    durableVersion: getUint53(view, RECORD.durableVersionAt),
    timestampMs: getUint53(view, RECORD.timestampAt),
    operations: decodeOperations(record, view, view.getUint32(RECORD.operationCountAt, true)),
    length: record.length,
  };
}

/** The bytes of the record at `offset`, checked: every length in it leads inside. */
function wholeRecord(core: Core, bytes: Uint8Array, offset: number): Uint8Array {
  checkUint53(offset, 'offset');
  const available = bytes.length - offset;
  if (available < RECORD.headerBytes) {
    throw new RangeError(`no whole record at offset ${offset}: the bytes end at ${bytes.length}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(offset + RECORD.lengthAt, true);
  const record = bytes.subarray(offset, offset + Math.max(length, RECORD.headerBytes));
  const { count, fault, stop } = scanRecords(core, record);
  if (count !== 1) throw new RangeError(`no whole record at offset ${offset}: ${fault ?? stop}`);
  return record;
}

/** Operations of a checked record. */
function decodeOperations(record: Uint8Array, view: DataView, count: number): readonly DecodedOperation[] {
  let at: number = RECORD.headerBytes;
  const byteString = (): Uint8Array => {
    const start = at + 4;
    at = start + view.getUint32(at, true);
    return record.subarray(start, at);
  };
  const operations: DecodedOperation[] = [];
  while (operations.length < count) {
    const kind = view.getUint8(at);
    at += 1;
    const key = byteString();
    if (kind === OperationKind.write) operations.push({ type: 'write', key, value: byteString() });
    else if (kind === OperationKind.delete) operations.push({ type: 'delete', key });
    else operations.push({ type: 'range_delete', begin: key, end: byteString() });
  }
  return operations;
}
