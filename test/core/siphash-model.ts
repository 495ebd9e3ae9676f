const MASK = 2n ** 64n - 1n;

/** SipHash-1-3 after the reference description, on whole numbers of any size. */
export function sipHash13(key: Uint8Array, message: Uint8Array): bigint {
  const key0 = littleEndian(key.subarray(0, 8));
  const key1 = littleEndian(key.subarray(8, 16));
  let v0 = key0 ^ 0x736f6d6570736575n;
  let v1 = key1 ^ 0x646f72616e646f6dn;
  let v2 = key0 ^ 0x6c7967656e657261n;
  let v3 = key1 ^ 0x7465646279746573n;

  const round = (): void => {
    v0 = (v0 + v1) & MASK;
    v1 = rotate(v1, 13n) ^ v0;
    v0 = rotate(v0, 32n);
    v2 = (v2 + v3) & MASK;
    v3 = rotate(v3, 16n) ^ v2;
    v0 = (v0 + v3) & MASK;
    v3 = rotate(v3, 21n) ^ v0;
    v2 = (v2 + v1) & MASK;
    v1 = rotate(v1, 17n) ^ v2;
    v2 = rotate(v2, 32n);
  };
  const absorb = (block: bigint): void => {
    v3 ^= block;
    round();
    v0 ^= block;
  };

  const whole = message.length - (message.length % 8);
  for (let at = 0; at < whole; at += 8) absorb(littleEndian(message.subarray(at, at + 8)));
  absorb(littleEndian(message.subarray(whole)) | (BigInt(message.length % 256) << 56n));
  v2 ^= 0xffn;
  round();
  round();
  round();
  return v0 ^ v1 ^ v2 ^ v3;
}

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & MASK;
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
