import type { Core } from './core.js';
import { OperationKind, PACKED_HEADER_BYTES, PreconditionKind } from './packed-transaction.js';
import { REQUEST_ID_BYTES_MAX } from './record-layout.js';
import { setUint53 } from './version.js';

const utf8 = new TextEncoder();
/** A buffer starts with this size and doubles. */
const BUFFER_BYTES = 1024;
/** A buffer that one large transaction has made larger is not kept for the next one. */
const KEEP_BYTES = 2 ** 20;

/**
 * Packs one transaction after the other for the {@link Decider}; see `packed-transaction.ts` for the
 * layout. Preconditions and operations may come interleaved; each kind keeps its own order.
 */
export class TransactionPacker {
  readonly #core: Core;
  /** The header, filled in at the end, and the preconditions. */
  readonly #front = new ByteSink(PACKED_HEADER_BYTES);
  readonly #operations = new ByteSink(0);
  #preconditionCount = 0;
  #operationCount = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Memory taken by its buffers, in bytes; after `reset` at most 2 MiB. */
  get bufferBytes(): number {
    return this.#front.capacity + this.#operations.capacity;
  }

  /** Forgets what was packed, to start the next transaction, and gives back buffers that have become large. */
  reset(): void {
    this.#front.restart(PACKED_HEADER_BYTES);
    this.#operations.restart(0);
    this.#preconditionCount = 0;
    this.#operationCount = 0;
  }

  /**
   * "`key` has not changed since `version`."
   * @throws RangeError when the version is not an integer from 0 to 2^53 - 1.
   */
  pointRead(version: number, key: Uint8Array): void {
    this.#front.putVersioned(PreconditionKind.pointRead, version, key);
    this.#preconditionCount += 1;
  }

  /**
   * "Nothing from `begin` up to, not including, `end` has changed since `version`."
   * @throws RangeError when the range is empty or the version is not an integer from 0 to 2^53 - 1.
   */
  rangeRead(version: number, begin: Uint8Array, end: Uint8Array): void {
    this.#checkRange(begin, end);
    this.#front.putVersioned(PreconditionKind.rangeRead, version, begin);
    this.#front.put(end);
    this.#preconditionCount += 1;
  }

  write(key: Uint8Array, value: Uint8Array): void {
    this.#operations.putKind(OperationKind.write, key);
    this.#operations.put(value);
    this.#operationCount += 1;
  }

  delete(key: Uint8Array): void {
    this.#operations.putKind(OperationKind.delete, key);
    this.#operationCount += 1;
  }

  /**
   * Deletes everything from `begin` up to, not including, `end`.
   * @throws RangeError when the range is empty.
   */
  rangeDelete(begin: Uint8Array, end: Uint8Array): void {
    this.#checkRange(begin, end);
    this.#operations.putKind(OperationKind.rangeDelete, begin);
    this.#operations.put(end);
    this.#operationCount += 1;
  }

  /**
   * The packed transaction, a fresh copy of exactly its size. What was packed stays until `reset`.
   * @param requestId well-formed Unicode.
   * @throws RangeError when the ID has more than 65,535 bytes of UTF-8.
   */
  finish(requestId: string): Uint8Array {
    const operations = this.#operations;
    const operationsLength = operations.length;
    operations.appendText(requestId);
    const idLength = operations.length - operationsLength;
    const body = operations.content();
    operations.length = operationsLength;
    if (idLength > REQUEST_ID_BYTES_MAX) {
      throw new RangeError(`a request ID has at most ${REQUEST_ID_BYTES_MAX} bytes, not ${idLength}`);
    }
    const { low, high } = this.#core.hashBytes(body.subarray(operationsLength));
    const front = this.#front;
    const packed = new Uint8Array(front.length + body.length);
    const { view } = front;
    view.setUint32(0, this.#preconditionCount, true);
    view.setUint32(4, this.#operationCount, true);
    view.setUint32(8, front.length - PACKED_HEADER_BYTES, true);
    view.setUint32(12, idLength, true);
    view.setUint32(16, low, true);
    view.setUint32(20, high, true);
    packed.set(front.content());
    packed.set(body, front.length);
    return packed;
  }

  #checkRange(begin: Uint8Array, end: Uint8Array): void {
    if (this.#core.compareKeys(begin, end) >= 0) throw new RangeError('a range must begin before its end');
  }
}

/** Bytes that grow at the end. */
class ByteSink {
  #bytes = new Uint8Array(BUFFER_BYTES);
  #view = new DataView(this.#bytes.buffer);

  constructor(public length: number) {}

  get capacity(): number {
    return this.#bytes.length;
  }

  /** Keeps room for `length` bytes, whose content does not matter. */
  restart(length: number): void {
    if (this.#bytes.length > KEEP_BYTES) this.#use(new Uint8Array(BUFFER_BYTES));
    this.length = length;
  }

  get view(): DataView {
    return this.#view;
  }

  putVersioned(kind: number, version: number, key: Uint8Array): void {
    this.#makeRoom(13 + key.length);
    setUint53(this.#view, this.length + 1, version);
    this.#view.setUint8(this.length, kind);
    this.length += 9;
    this.#append(key);
  }

  putKind(kind: number, key: Uint8Array): void {
    this.#makeRoom(5 + key.length);
    this.#view.setUint8(this.length, kind);
    this.length += 1;
    this.#append(key);
  }

  put(bytes: Uint8Array): void {
    this.#makeRoom(4 + bytes.length);
    this.#append(bytes);
  }

  /** Appends UTF-8, without its length. */
  appendText(text: string): void {
    this.#makeRoom(3 * text.length);
    const bytes = this.#bytes;
    // Nearly all IDs are short and ASCII: then a loop is faster than the encoder.
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit >= 0x80) {
        const rest = utf8.encodeInto(text.slice(index), bytes.subarray(this.length + index));
        this.length += index + rest.written;
        return;
      }
      bytes[this.length + index] = unit;
    }
    this.length += text.length;
  }

  content(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #append(bytes: Uint8Array): void {
    this.#view.setUint32(this.length, bytes.length, true);
    this.#bytes.set(bytes, this.length + 4);
    this.length += 4 + bytes.length;
  }

  #makeRoom(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    grown.set(this.content());
    this.#use(grown);
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
