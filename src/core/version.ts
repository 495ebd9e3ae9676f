/** 2^32: what one step of the high half of a 64-bit number is worth. */
const HIGH = 0x1_0000_0000;

/**
 * Writes an integer from 0 to 2^53 - 1 as a little-endian u64.
 * @throws RangeError for any other number.
 */
export function setUint53(view: DataView, offset: number, value: number): void {
  checkUint53(value, 'number');
  view.setUint32(offset, value >>> 0, true);
  view.setUint32(offset + 4, Math.floor(value / HIGH), true);
}

/** Reads a little-endian u64; above 2^53 the result is not exact. */
export function getUint53(view: DataView, offset: number): number {
  return view.getUint32(offset + 4, true) * HIGH + view.getUint32(offset, true);
}

/**
 * The twins of the bound are `VERSION_MAX` in assembly/codec/packed.ts and record.ts.
 * @throws RangeError unless `value` is an integer from 0 to 2^53 - 1.
 */
export function checkUint53(value: number, name: string): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${name} must be an integer from 0 to 2^53 - 1, not ${value}`);
  }
}
