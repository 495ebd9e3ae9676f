import { WasmInstance } from './wasm-instance.js';

export interface RequestIdHash {
  readonly low: number;
  readonly high: number;
}

const HASH_KEY_BYTES = 16;
/** Long inputs of `crc32c` go through the memory of the module in pieces of this size. */
const PIECE_BYTES = 1 << 18;
const utf8 = new TextEncoder();

/** One instance of the Wasm core with its memory. Several may exist; they share nothing but code. */
export class Core {
  /** For the files of this folder only: nobody else touches the memory of the module. */
  readonly wasm: WasmInstance;

  private constructor(hashKey: Uint8Array) {
    this.wasm = new WasmInstance();
    const { wasm } = this;
    const pointer = wasm.reserveInput(HASH_KEY_BYTES);
    wasm.bytes.set(hashKey, pointer);
    wasm.exports.setHashKey(pointer);
  }

  /**
   * Loads the core synchronously. The module is compiled by the first call and instantiated by each.
   * @param options.hashKey the key of request-ID hashes, 16 bytes; zeros when absent.
   * @throws RangeError when the key does not have 16 bytes.
   */
  static load(options: { readonly hashKey?: Uint8Array } = {}): Core {
    const hashKey = options.hashKey ?? new Uint8Array(HASH_KEY_BYTES);
    if (hashKey.length !== HASH_KEY_BYTES) {
      throw new RangeError(`a hash key has ${HASH_KEY_BYTES} bytes, not ${hashKey.length}`);
    }
    return new Core(hashKey);
  }

  /**
   * CRC-32C (Castagnoli; reflected, initial value and final inversion 0xffffffff).
   * @param seed the checksum of what comes before `bytes`, to go on from it.
   */
  crc32c(bytes: Uint8Array, seed = 0): number {
    const { wasm } = this;
    let sum = seed;
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      const piece = bytes.subarray(start, start + PIECE_BYTES);
      const pointer = wasm.reserveInput(piece.length);
      wasm.bytes.set(piece, pointer);
      sum = wasm.exports.crc32c(pointer, piece.length, sum);
    }
    return sum >>> 0;
  }

  /**
   * The order of keys: lexicographic by unsigned bytes, a prefix before what it is a prefix of.
   * @returns below 0, 0 or above 0, as `a` is before, equal to or behind `b`.
   */
  compareKeys(a: Uint8Array, b: Uint8Array): number {
    const { wasm } = this;
    const pointer = wasm.reserveInput(a.length + b.length);
    const { bytes } = wasm;
    bytes.set(a, pointer);
    bytes.set(b, pointer + a.length);
    return wasm.exports.compare(pointer, a.length, pointer + a.length, b.length);
  }

  /** SipHash-1-3 of the ID in UTF-8 under this core's key, as two unsigned 32-bit lanes. */
  hashRequestId(requestId: string): RequestIdHash {
    return this.hashBytes(utf8.encode(requestId));
  }

  /** SipHash-1-3 of bytes under this core's key, as two unsigned 32-bit lanes. */
  hashBytes(bytes: Uint8Array): RequestIdHash {
    const { wasm } = this;
    const pointer = wasm.reserveInput(bytes.length);
    wasm.bytes.set(bytes, pointer);
    wasm.exports.hash(pointer, bytes.length);
    return { low: wasm.result(0), high: wasm.result(1) };
  }
}
