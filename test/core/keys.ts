import fc from 'fast-check';

/** Bytes at which signed, unsigned and text orders part, and the one that ends a point range. */
const ALPHABET = [0x00, 0x7f, 0x80, 0xff] as const;
const KIB = Buffer.alloc(1024, 0x41);

/** Keys of up to `lengthMax` bytes: the empty one, and many that are prefixes of each other. */
export function tinyKeys(lengthMax: number): fc.Arbitrary<Uint8Array> {
  return fc
    .array(fc.constantFrom(...ALPHABET), { maxLength: lengthMax })
    .map((bytes) => Uint8Array.from(bytes));
}

/** The same behind prefixes that share nothing, a little, or a KiB, and behind none. */
export function prefixedKeys(lengthMax: number): fc.Arbitrary<Uint8Array> {
  const prefixes = [
    Buffer.alloc(0),
    Buffer.alloc(8),
    Buffer.from('seven b'),
    Buffer.from('eight by'),
    KIB,
    Buffer.concat([KIB, Buffer.of(0x80)]),
  ];
  return fc
    .tuple(fc.constantFrom(...prefixes), tinyKeys(lengthMax))
    .map(([prefix, rest]) => new Uint8Array(Buffer.concat([prefix, rest])));
}

/** Two keys, the lower one first. */
export function ranges(
  keys: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<{ readonly begin: Uint8Array; readonly end: Uint8Array }> {
  return fc
    .tuple(keys, fc.oneof({ weight: 7, arbitrary: keys }, { weight: 1, arbitrary: fc.constant(undefined) }))
    .map(([one, other]) => {
      if (other === undefined || Buffer.compare(one, other) === 0) return { begin: one, end: successor(one) };
      return Buffer.compare(one, other) < 0 ? { begin: one, end: other } : { begin: other, end: one };
    });
}

/** The next key of all: `key` and a zero byte. */
export function successor(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}
