import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProtocolError } from '../../src/client/index.js';
import { SseParser } from '../../src/client/sse.js';

const utf8 = new TextEncoder();

function parse(...chunks: (string | readonly number[])[]): (readonly [string, string])[] {
  const parser = new SseParser();
  return chunks
    .flatMap((chunk) => parser.push(typeof chunk === 'string' ? utf8.encode(chunk) : Uint8Array.from(chunk)))
    .map(({ event, data }) => [event, data]);
}

const cases: readonly (readonly [string, Parameters<typeof parse>, ReturnType<typeof parse>])[] = [
  ['LF', ['event: a\ndata: 1\n\n'], [['a', '1']]],
  ['CR', ['event: a\rdata: 1\r\r'], [['a', '1']]],
  ['CRLF', ['event: a\r\ndata: 1\r\n\r\n'], [['a', '1']]],
  [
    'mixed line ends',
    ['event: a\rdata: 1\n\r\ndata: 2\r\n\n'],
    [
      ['a', '1'],
      ['message', '2'],
    ],
  ],
  ['CRLF split over chunks', ['data: 1\r', '\ndata: 2\r', '\n\r', '\n'], [['message', '1\n2']]],
  ['an event that ends in CR is delivered at once', ['data: 1\r\r'], [['message', '1']]],
  [
    'an LF after a CR, alone in its chunk, is no second line',
    ['data: 1\r\n\r', '\n', 'data: 2\n\n'],
    [
      ['message', '1'],
      ['message', '2'],
    ],
  ],
  ['an empty chunk between CR and LF', ['data: 1\r', '', '\n\r\n'], [['message', '1']]],
  ['comments and keepalives', [': keepalive\n\n:\n\ndata: 1\n: within\n\n'], [['message', '1']]],
  ['several data lines', ['data: 1\ndata:\ndata: 3\n\n'], [['message', '1\n\n3']]],
  ['an empty data line makes an event', ['data\n\n'], [['message', '']]],
  ['no data, no event', ['event: a\n\ndata: 1\n\n'], [['message', '1']]],
  [
    'one space is dropped after the colon, no more',
    ['data:  1\n\ndata:2\n\n'],
    [
      ['message', ' 1'],
      ['message', '2'],
    ],
  ],
  [
    'unknown fields, id and retry are read over',
    ['id: 5\nretry: 1\nfoo: x\nDATA: y\ndata: 1\n\n'],
    [['message', '1']],
  ],
  ['what no blank line ends is not delivered', ['data: 1\n\ndata: 2\n'], [['message', '1']]],
  ['a byte order mark', [[0xef, 0xbb, 0xbf], 'data: 1\n\n'], [['message', '1']]],
  ['a byte order mark in pieces', [[0xef], [0xbb], [0xbf], 'data: 1\n\n'], [['message', '1']]],
  [
    'only one byte order mark is dropped',
    [[0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], 'data: 0\n\ndata: 1\n\n'],
    [['message', '1']],
  ],
  [
    'a byte order mark later on is content',
    ['data: 1\n', [0xef, 0xbb, 0xbf], 'data: 2\n\n'],
    [['message', '1']],
  ],
  ['half a byte order mark is content', [[0xef], 'data: 0\ndata: 1\n\n'], [['message', '1']]],
  [
    'a character split over chunks',
    ['data: ', [0xf0, 0x9f], [0x92], [0xa7, 0x0a, 0x0a]],
    [['message', '\u{1f4a7}']],
  ],
  ['broken UTF-8 is replaced', ['data: ', [0xc3], '\n\n'], [['message', '\ufffd']]],
  ['nothing', ['', '\n', '\n\n'], []],
];

for (const [name, chunks, expected] of cases) {
  test(name, () => assert.deepEqual(parse(...chunks), expected));
}

test('an event of many chunks', () => {
  const parser = new SseParser();
  parser.push(utf8.encode('data: '));
  for (let index = 0; index < 1000; index += 1)
    assert.deepEqual(parser.push(utf8.encode('x'.repeat(100))), []);
  assert.equal(parser.push(utf8.encode('\n\n'))[0]?.data.length, 100_000);
});

test('an event without end does not fill the memory', () => {
  const endlessLine = new SseParser(10);
  endlessLine.push(utf8.encode('data: 67'));
  assert.throws(() => endlessLine.push(utf8.encode('890')), ProtocolError);
  const endlessData = new SseParser(10);
  endlessData.push(utf8.encode('data: 12\n'));
  endlessData.push(utf8.encode('data: 34\n'));
  endlessData.push(utf8.encode('data: 56\n'));
  assert.throws(() => endlessData.push(utf8.encode('data: 78\n')), ProtocolError);
});
