/** The polynomial of CRC-32C, reflected. */
const POLYNOMIAL = 0x82f63b78;
/** Enough for every length below 2^53 bytes. */
const POWERS = 56;

/** x^(2^k) modulo the polynomial. */
const powers = new Uint32Array(POWERS);
powers[0] = 0x40000000;
for (let k = 1; k < POWERS; k += 1) powers[k] = multiply(powers[k - 1]!, powers[k - 1]!);

/**
 * What the CRC-32C of some bytes contributes to that of these and `length` more behind them:
 * `crc(a + b) = shiftChecksum(crc(a), b.length) ^ crc(b)`. So the checksum of any part of a file follows from those
 * of what ends where the part starts, and where it ends, without a look at the bytes between.
 * @param length in bytes, from 0 to 2^53 - 1.
 */
export function shiftChecksum(checksum: number, length: number): number {
  let shifted = checksum;
  // A byte is x^8: the powers from the third on.
  for (let rest = length, k = 3; rest > 0; rest = Math.floor(rest / 2), k += 1) {
    if (rest % 2 === 1) shifted = multiply(powers[k]!, shifted);
  }
  return shifted >>> 0;
}

/** The product of two polynomials over GF(2), reflected (the highest bit is x^0), modulo that of the checksum. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}
