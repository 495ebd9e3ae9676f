/** SipHash-1-3 (Aumasson, Bernstein): one round per 8 bytes, three at the end; 64 bits under a 128-bit key. */

let key0: u64 = 0;
let key1: u64 = 0;

let v0: u64 = 0;
let v1: u64 = 0;
let v2: u64 = 0;
let v3: u64 = 0;

/** @param pointer 16 bytes */
export function setSipHashKey(pointer: usize): void {
  key0 = load<u64>(pointer);
  key1 = load<u64>(pointer, 8);
}

export function sipHash(pointer: usize, length: usize): u64 {
  v0 = key0 ^ 0x736f6d6570736575;
  v1 = key1 ^ 0x646f72616e646f6d;
  v2 = key0 ^ 0x6c7967656e657261;
  v3 = key1 ^ 0x7465646279746573;
  const blocksEnd = pointer + (length & ~7);
  for (; pointer < blocksEnd; pointer += 8) absorb(load<u64>(pointer));
  // The last block: what is left, zeros, and the length modulo 256 in its highest byte.
  let last = (<u64>length) << 56;
  for (let index: usize = 0; index < (length & 7); index++) {
    last |= load<u8>(pointer + index) << ((<u64>index) << 3);
  }
  absorb(last);
  v2 ^= 0xff;
  round();
  round();
  round();
  return v0 ^ v1 ^ v2 ^ v3;
}

function absorb(block: u64): void {
  v3 ^= block;
  round();
  v0 ^= block;
}

function round(): void {
  v0 += v1;
  v1 = rotl<u64>(v1, 13) ^ v0;
  v0 = rotl<u64>(v0, 32);
  v2 += v3;
  v3 = rotl<u64>(v3, 16) ^ v2;
  v0 += v3;
  v3 = rotl<u64>(v3, 21) ^ v0;
  v2 += v1;
  v1 = rotl<u64>(v1, 17) ^ v2;
  v2 = rotl<u64>(v2, 32);
}
