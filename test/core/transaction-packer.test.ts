import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Core } from '../../src/core/core.js';
import { TransactionPacker } from '../../src/core/transaction-packer.js';

const core = Core.load();
const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const hashOf = (id: string): string => {
  const lanes = Buffer.alloc(8);
  const { low, high } = core.hashRequestId(id);
  lanes.writeUInt32LE(low, 0);
  lanes.writeUInt32LE(high, 4);
  return lanes.toString('hex');
};

describe('a packed transaction', () => {
  it('has the documented layout, whatever the order of the calls', () => {
    const packer = new TransactionPacker(core);
    packer.write(ascii('k'), ascii('vv'));
    packer.pointRead(2 ** 53 - 1, ascii('\x80'));
    packer.delete(ascii(''));
    packer.rangeRead(1, ascii(''), ascii('\xff'));
    packer.rangeDelete(ascii('a'), ascii('b'));
    const expected =
      '02000000' +
      '03000000' +
      '20000000' +
      '05000000' +
      hashOf('é-id') +
      '00ffffffffffff1f000100000080' +
      '01010000000000000000000000' +
      '01000000ff' +
      '01010000006b020000007676' +
      '0200000000' +
      '0301000000610100000062' +
      'c3a92d6964';
    assert.equal(hex(packer.finish('é-id')), expected);
    assert.equal(hex(packer.finish('é-id')), expected, 'finish leaves everything as it was');
  });

  it('of nothing is a header and the request ID', () => {
    const packer = new TransactionPacker(core);
    assert.equal(hex(packer.finish('')), `${'00'.repeat(16)}${hashOf('')}`);
  });

  it('starts afresh after a reset, and earlier results stay', () => {
    const packer = new TransactionPacker(core);
    packer.pointRead(7, ascii('key'));
    packer.write(ascii('key'), ascii('value'));
    const before = packer.finish('one');
    const copy = before.slice();
    packer.reset();
    packer.delete(ascii('x'));
    assert.equal(
      hex(packer.finish('two')),
      `${'00000000010000000000000003000000'}${hashOf('two')}020100000078${hex(ascii('two'))}`,
    );
    assert.deepEqual(before, copy);
  });

  it('grows with keys, values and IDs of any size', () => {
    const packer = new TransactionPacker(core);
    const value = new Uint8Array(3_000_000).fill(7);
    packer.write(ascii('k'), value);
    packer.pointRead(0, new Uint8Array(100_000));
    const id = 'ü'.repeat(32_767);
    const packed = packer.finish(id);
    assert.equal(packed.length, 24 + 13 + 100_000 + 10 + 3_000_000 + 65_534);
    assert.equal(Buffer.from(packed.subarray(-65_534)).toString(), id);
  });

  it('of unusual size leaves no large buffers behind', () => {
    const packer = new TransactionPacker(core);
    packer.write(ascii('k'), new Uint8Array(3_000_000));
    packer.pointRead(0, new Uint8Array(2_000_000));
    assert.ok(packer.bufferBytes >= 5_000_000);
    packer.reset();
    assert.ok(packer.bufferBytes < 2 ** 16, `${packer.bufferBytes} bytes`);
    assert.equal(hex(packer.finish('')), `${'00'.repeat(16)}${hashOf('')}`);
    packer.reset();
    packer.write(ascii('k'), new Uint8Array(500_000));
    const usual = packer.bufferBytes;
    packer.reset();
    assert.equal(packer.bufferBytes, usual, 'what is of use for the next one is kept');
  });

  it('is refused when a number or a range cannot be', () => {
    const packer = new TransactionPacker(core);
    for (const version of [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => packer.pointRead(version, ascii('k')), RangeError);
      assert.throws(() => packer.rangeRead(version, ascii('a'), ascii('b')), RangeError);
    }
    for (const [begin, end] of [
      ['b', 'a'],
      ['a', 'a'],
      ['', ''],
      ['\x80', '\x7f'],
      ['aa', 'a'],
    ] as const) {
      assert.throws(() => packer.rangeRead(0, ascii(begin), ascii(end)), RangeError);
      assert.throws(() => packer.rangeDelete(ascii(begin), ascii(end)), RangeError);
    }
    assert.throws(() => packer.finish('x'.repeat(65_536)), RangeError);
    assert.equal(hex(packer.finish('')), `${'00'.repeat(16)}${hashOf('')}`, 'nothing of them stayed');
  });
});
