import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Core } from '../../src/core/core.js';
import { sipHash13 } from './siphash-model.js';

const core = Core.load();
const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('CRC-32C', () => {
  // The check value of the CRC catalogue, and the vectors of RFC 3720, appendix B.4.
  const vectors: readonly (readonly [string, Uint8Array, number])[] = [
    ['nothing', ascii(''), 0],
    ['the digits 1 to 9', ascii('123456789'), 0xe3069283],
    ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
    ['32 ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['0 to 31 ascending', Uint8Array.from({ length: 32 }, (_, index) => index), 0x46dd794e],
    ['31 to 0 descending', Uint8Array.from({ length: 32 }, (_, index) => 31 - index), 0x113fdb5c],
  ];
  for (const [name, bytes, expected] of vectors) {
    it(`of ${name}`, () => assert.equal(core.crc32c(bytes), expected));
  }

  it('goes on from the checksum of what comes before, at every place', () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, index) => (index * 37) & 0xff);
    const whole = core.crc32c(bytes);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      assert.equal(core.crc32c(bytes.subarray(cut), core.crc32c(bytes.subarray(0, cut))), whole);
    }
  });

  it('agrees with a bit-by-bit one for every length up to 300', () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => (index * index * 7) & 0xff);
    for (let length = 0; length <= bytes.length; length += 1) {
      const part = bytes.subarray(0, length);
      assert.equal(core.crc32c(part), crc32cByBits(part));
    }
  });

  it('takes more than the module holds at a time', () => {
    const bytes = new Uint8Array(1_000_003).fill(0x5a);
    const whole = core.crc32c(bytes);
    assert.equal(core.crc32c(bytes.subarray(777_777), core.crc32c(bytes.subarray(0, 777_777))), whole);
  });
});

describe('compareKeys', () => {
  const ordered = [
    '',
    '\x00',
    '\x00\x00',
    '\x00\xff',
    '\x7f',
    '\x80',
    '\x80\x00',
    'a'.repeat(9),
    '\xff',
    '\xff\xff',
  ]
    .map(ascii)
    .sort(Buffer.compare);
  it('orders by unsigned bytes, a prefix first', () => {
    for (const [i, a] of ordered.entries()) {
      for (const [j, b] of ordered.entries())
        assert.equal(Math.sign(core.compareKeys(a, b)), Math.sign(i - j));
    }
  });

  it('sees a difference at every place of long keys', () => {
    for (let place = 0; place < 40; place += 1) {
      const a = new Uint8Array(40).fill(0x80);
      const b = a.slice();
      b[place] = 0x7f;
      assert.ok(core.compareKeys(a, b) > 0);
      assert.ok(core.compareKeys(b, a) < 0);
    }
  });
});

describe('hashRequestId', () => {
  const lanes = (hash: bigint) => ({ low: Number(hash & 0xffff_ffffn), high: Number(hash >> 32n) });

  it('is SipHash-1-3 under the key, for every length of the last block', () => {
    const hashKey = Uint8Array.from({ length: 16 }, (_, index) => index);
    const keyed = Core.load({ hashKey });
    for (let length = 0; length <= 64; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, index) => index);
      assert.deepEqual(keyed.hashBytes(bytes), lanes(sipHash13(hashKey, bytes)));
    }
  });

  it('gives the first vectors of the reference implementation', () => {
    const keyed = Core.load({ hashKey: Uint8Array.from({ length: 16 }, (_, index) => index) });
    assert.deepEqual(keyed.hashBytes(Uint8Array.of()), lanes(0xabac_0158_050f_c4dcn));
    assert.deepEqual(keyed.hashBytes(Uint8Array.of(0)), lanes(0xc9f4_9bf3_7d57_ca93n));
  });

  it('hashes the UTF-8 of the ID', () => {
    const id = 'Grüße, \u{1f30a} und so weiter';
    assert.deepEqual(core.hashRequestId(id), lanes(sipHash13(new Uint8Array(16), Buffer.from(id))));
  });

  it('differs between keys, and each core has its own', () => {
    const one = Core.load({ hashKey: new Uint8Array(16).fill(1) });
    const two = Core.load({ hashKey: new Uint8Array(16).fill(2) });
    const hash = one.hashRequestId('the same request');
    assert.notDeepEqual(two.hashRequestId('the same request'), hash);
    assert.deepEqual(one.hashRequestId('the same request'), hash);
  });

  it('refuses a key of another length', () => {
    for (const length of [0, 15, 17]) {
      assert.throws(() => Core.load({ hashKey: new Uint8Array(length) }), RangeError);
    }
  });
});

function crc32cByBits(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (0x82f6_3b78 & -(sum & 1));
  }
  return ~sum >>> 0;
}
