/**
 * CRC-32C (Castagnoli): reflected polynomial 0x82f63b78, initial value and final inversion 0xffffffff.
 * Slicing-by-16: sixteen tables of 256 entries; table t holds what a byte that is followed by t more adds.
 */

const TABLES: usize = 16;
const TABLE_BITS: usize = 10;
const tables: usize = memory.data(16 * 256 * 4, 16);

function fillTables(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >> 1) ^ (0x82f63b78 & (0 - (sum & 1)));
    store<u32>(tables + (byte << 2), sum);
  }
  for (let entry: u32 = 256; entry < <u32>TABLES * 256; entry++) {
    const shorter = load<u32>(tables + ((entry - 256) << 2));
    store<u32>(tables + (entry << 2), (shorter >> 8) ^ load<u32>(tables + ((shorter & 0xff) << 2)));
  }
}
fillTables();

/** @param seed the checksum of what comes before, or 0. */
export function crc32c(pointer: usize, length: usize, seed: u32): u32 {
  let sum = ~seed;
  const end = pointer + length;
  const blocksEnd = pointer + (length & ~(TABLES - 1));
  for (; pointer < blocksEnd; pointer += TABLES) {
    sum =
      added(load<u32>(pointer) ^ sum, 12) ^
      added(load<u32>(pointer, 4), 8) ^
      added(load<u32>(pointer, 8), 4) ^
      added(load<u32>(pointer, 12), 0);
  }
  for (; pointer < end; pointer++) {
    sum = (sum >> 8) ^ load<u32>(tables + (((sum ^ load<u8>(pointer)) & 0xff) << 2));
  }
  return ~sum;
}

/** What four bytes that are followed by `behind` more add to the checksum. */
function added(bytes: u32, behind: usize): u32 {
  const table = tables + (behind << TABLE_BITS);
  return (
    load<u32>(table + ((bytes & 0xff) << 2), 3 << TABLE_BITS) ^
    load<u32>(table + (((bytes >> 8) & 0xff) << 2), 2 << TABLE_BITS) ^
    load<u32>(table + (((bytes >> 16) & 0xff) << 2), 1 << TABLE_BITS) ^
    load<u32>(table + ((bytes >> 24) << 2))
  );
}
