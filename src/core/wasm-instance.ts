import { readFileSync } from 'node:fs';
import { instantiateSync, type ResultObject } from '@assemblyscript/loader';

/**
 * What `assembly/index.ts` exports. Pointers and lengths are unsigned 32-bit numbers that may arrive
 * as negative ones (`>>> 0` makes them whole again); versions and times are f64.
 */
interface CoreExports extends Record<string, unknown> {
  readonly memory: { readonly buffer: ArrayBuffer };
  resultBlock(): number;
  reserveInput(bytes: number): number;
  setHashKey(pointer: number): void;
  hash(pointer: number, length: number): void;
  crc32c(pointer: number, length: number, seed: number): number;
  compare(a: number, aLength: number, b: number, bLength: number): number;
  scan(pointer: number, length: number, recordBytesMax: number): number;
  render(
    pointer: number,
    length: number,
    prefixLength: number,
    suffixLength: number,
    leaderLength: number,
  ): number;
  createConflictSet(windowVersions: number, bytesMax: number, floor: number): number;
  resetConflictSet(floor: number): void;
  conflictFloor(): number;
  conflictLatest(): number;
  conflictEntries(): number;
  conflictBytes(): number;
  conflictFault(): number;
  decide(pointer: number, length: number, count: number, firstVersion: number, step: number): number;
  reserveRecords(pointer: number, count: number): number;
  encode(
    pointer: number,
    count: number,
    verdicts: number,
    firstVersion: number,
    prevVersion: number,
    durableVersion: number,
    timestampMs: number,
  ): void;
}

let compiled: ResultObject['module'] | undefined;

/**
 * One instance of the Wasm module and the views of its memory. Views do not outlive the next call
 * into the module: growing the memory detaches them, so they are asked for again after each call.
 */
export class WasmInstance {
  readonly exports: CoreExports;
  /** Where the module leaves the small fixed-size results of its functions, a multiple of 8. */
  readonly resultBlock: number;
  #bytes: Uint8Array;
  #view: DataView;

  constructor() {
    const source = compiled ?? readFileSync(new URL('../../core.wasm', import.meta.url));
    const { module, exports } = instantiateSync<CoreExports>(source);
    compiled = module;
    this.exports = exports;
    this.resultBlock = exports.resultBlock() >>> 0;
    this.#bytes = new Uint8Array(exports.memory.buffer);
    this.#view = new DataView(exports.memory.buffer);
  }

  /** The whole memory, as it is now. */
  get bytes(): Uint8Array {
    this.#refresh();
    return this.#bytes;
  }

  /** The whole memory, as it is now. */
  get view(): DataView {
    this.#refresh();
    return this.#view;
  }

  /**
   * Makes room for `length` bytes of input. The same place serves every call: what one call put
   * there is gone with the next.
   * @throws RangeError when the memory cannot grow that far.
   */
  reserveInput(length: number): number {
    const pointer = length <= 0x7fff_ffff ? this.exports.reserveInput(length) >>> 0 : 0;
    if (pointer === 0) throw new RangeError(`no room for ${length} bytes in the core's memory`);
    return pointer;
  }

  /** The unsigned 32-bit number at `index` (in units of 4 bytes) of the result block. */
  result(index: number): number {
    return this.view.getUint32(this.resultBlock + 4 * index, true);
  }

  #refresh(): void {
    // A view of memory that has grown since has no length any more. (Asking the memory for its buffer is slow.)
    if (this.#bytes.length !== 0) return;
    this.#bytes = new Uint8Array(this.exports.memory.buffer);
    this.#view = new DataView(this.exports.memory.buffer);
  }
}
