import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SseItem, SseParser } from './sse.js';

const parse = (...chunks: readonly (string | Buffer)[]): SseItem[] => {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.push(Buffer.from(chunk)));
};

const event = (name: string, data: string, fields: readonly string[]): SseItem => ({
  kind: 'event',
  event: name,
  data,
  fields,
});

const ONE = event('transaction', '{"a":1}', ['event', 'data']);

test('an event ends with an empty line, not before', () => {
  assert.deepEqual(parse('event: transaction\ndata: {"a":1}\n'), []);
  assert.deepEqual(parse('event: transaction\ndata: {"a":1}\n\n'), [ONE]);
});

test('lines end with LF, CR, or both, also mixed', () => {
  for (const [first, second, third] of [
    ['\n', '\n', '\n'],
    ['\r', '\r', '\r'],
    ['\r\n', '\r\n', '\r\n'],
    ['\r', '\n', '\r\n\r\n'],
    ['\n', '\r\n', '\r'],
    ['\r\n', '\r', '\r'],
  ] as const) {
    const text = `event: transaction${first}data: {"a":1}${second}${third}`;
    assert.deepEqual(parse(text), [ONE], JSON.stringify(text));
  }
});

test('CR LF is one end of line, LF CR are two', () => {
  assert.deepEqual(parse('data: a\r\ndata: b\r\n\r\n'), [event('message', 'a\nb', ['data', 'data'])]);
  assert.deepEqual(parse('data: a\n\rdata: b\n\n'), [
    event('message', 'a', ['data']),
    event('message', 'b', ['data']),
  ]);
});

test('wherever the stream is cut, the same comes of it', () => {
  const text =
    '\ufeff: hello\r\nevent: transaction\rdata: {"text":"\u00e4\u20ac\u{1f409}"}\r\n\r\n:keepalive\n\ndata:x\r\ndata\r\ndata:  y\n\r\nevent: a\n\nid: 7\r\rretry: 10\ndata: \u20ac\r\n\n';
  const whole = Buffer.from(text);
  const expected: SseItem[] = [
    { kind: 'comment', text: ' hello' },
    event('transaction', '{"text":"\u00e4\u20ac\u{1f409}"}', ['event', 'data']),
    { kind: 'comment', text: 'keepalive' },
    event('message', 'x\n\n y', ['data', 'data', 'data']),
    event('a', '', ['event']),
    event('message', '', ['id']),
    event('message', '\u20ac', ['retry', 'data']),
  ];
  assert.deepEqual(parse(whole), expected);
  for (let cut = 0; cut <= whole.length; cut += 1)
    assert.deepEqual(parse(whole.subarray(0, cut), whole.subarray(cut)), expected, `cut at ${cut}`);
  assert.deepEqual(parse(...[...whole].map((byte) => Buffer.of(byte))), expected, 'byte by byte');
});

test('what is pushed may be overwritten afterwards', () => {
  const parser = new SseParser();
  const chunk = Buffer.from('data: ab');
  parser.push(chunk);
  chunk.fill(0x78);
  assert.deepEqual(parser.push(Buffer.from('c\n\n')), [event('message', 'abc', ['data'])]);
});

test('one space after the colon is left out, no more', () => {
  assert.deepEqual(parse('data:a\ndata: b\ndata:  c\ndata:\td\ndata:\n\n'), [
    event('message', 'a\nb\n c\n\td\n', ['data', 'data', 'data', 'data', 'data']),
  ]);
});

test('a line without a colon is a field without value, and only the first colon counts', () => {
  assert.deepEqual(parse('data\ndata: a:b: c\n\n'), [event('message', '\na:b: c', ['data', 'data'])]);
});

test('the last event field counts, and an empty one means message', () => {
  assert.deepEqual(parse('event: a\nevent: b\ndata: x\n\n'), [event('b', 'x', ['event', 'event', 'data'])]);
  assert.deepEqual(parse('event: a\nevent\ndata: x\n\n'), [
    event('message', 'x', ['event', 'event', 'data']),
  ]);
});

test('nothing is left of an event for the next one', () => {
  assert.deepEqual(parse('event: a\ndata: x\nid: 1\n\ndata: y\n\n'), [
    event('a', 'x', ['event', 'data', 'id']),
    event('message', 'y', ['data']),
  ]);
});

test('names of fields are told apart by case and by spaces', () => {
  assert.deepEqual(parse('Data: x\n data: y\ndata : z\n\n'), [
    event('message', '', ['Data', ' data', 'data ']),
  ]);
});

test('an event without data is reported with its fields; empty lines alone are nothing', () => {
  assert.deepEqual(parse('\n\r\n\n'), []);
  assert.deepEqual(parse('event: transaction\n\nid: 7\n\n'), [
    event('transaction', '', ['event']),
    event('message', '', ['id']),
  ]);
});

test('comments may stand anywhere and end nothing', () => {
  assert.deepEqual(parse(': a\n:\ndata: x\n: b: c\ndata: y\n\n'), [
    { kind: 'comment', text: ' a' },
    { kind: 'comment', text: '' },
    { kind: 'comment', text: ' b: c' },
    event('message', 'x\ny', ['data', 'data']),
  ]);
});

test('a byte order mark is left out at the beginning of the stream only', () => {
  assert.deepEqual(parse('\ufeffdata: x\n\n'), [event('message', 'x', ['data'])]);
  assert.deepEqual(parse('\n\ufeffdata: x\n\n'), [event('message', '', ['\ufeffdata'])]);
  assert.deepEqual(parse('data: \ufeffx\n\n'), [event('message', '\ufeffx', ['data'])]);
});

test('what is not UTF-8 is a TypeError', () => {
  for (const bytes of [[0xff], [0xc3], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) {
    const line = Buffer.concat([Buffer.from('data: '), Buffer.from(bytes), Buffer.from('\n')]);
    assert.throws(() => parse(line), TypeError, `bytes ${bytes}`);
  }
});

test('a line that is cut within a character is not judged before it ends', () => {
  const parser = new SseParser();
  assert.deepEqual(parser.push(Buffer.from([...Buffer.from('data: '), 0xe2, 0x82])), []);
  assert.deepEqual(parser.push(Buffer.from([0xac, 0x0a, 0x0a])), [event('message', '\u20ac', ['data'])]);
});
