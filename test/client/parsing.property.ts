import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base64, portableBase64 } from '../../src/client/base64.js';
import { type SseMessage, SseParser } from '../../src/client/sse.js';
import { seed } from '../support/seed.js';

function attempt(decode: (text: string) => Uint8Array, text: string): Uint8Array | undefined {
  try {
    return decode(text);
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return undefined;
  }
}

test('base64 with and without Buffer are the same', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const text = base64.encode(bytes);
      assert.equal(portableBase64.encode(bytes), text);
      assert.deepEqual(base64.decode(text), bytes);
      assert.deepEqual(portableBase64.decode(text), bytes);
    }),
    { seed, numRuns: 2000 },
  );
  const nearly = fc.string({
    unit: fc.constantFrom('A', 'B', 'Q', 'g', '/', '+', '=', '-', '_', ' ', '\n', '\u00e9'),
  });
  fc.assert(
    fc.property(nearly, (text) => {
      const decoded = attempt(base64.decode, text);
      assert.deepEqual(attempt(portableBase64.decode, text), decoded);
      if (decoded !== undefined) assert.equal(base64.encode(decoded), text);
    }),
    { seed, numRuns: 5000 },
  );
});

/** The rules of the standard, over the whole text at once. */
function referenceParse(text: string): SseMessage[] {
  const messages: SseMessage[] = [];
  let event = '';
  let data = '';
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data !== '') messages.push({ event: event || 'message', data: data.slice(0, -1) });
      event = '';
      data = '';
      continue;
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (name === 'event') event = value;
    if (name === 'data') data += `${value}\n`;
  }
  return messages;
}

test('an event stream means the same however it is cut', () => {
  const piece = fc.constantFrom(
    ...['data', 'event', 'id', 'retry', ':', ': ', ' ', 'x', '\u00e9', '\u{1f4a7}', '\ufeff'],
    ...['\n', '\r', '\r\n', '\n\n', '\r\r', '\r\n\r\n', 'data: a', 'event: b\n'],
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 6 }), { minLength: 1 }), (stream, sizes) => {
      const bytes = new TextEncoder().encode(stream);
      const parser = new SseParser();
      const messages: SseMessage[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length]! + (turn % sizes.length === 0 ? 1 : 0);
        messages.push(...parser.push(bytes.slice(at, at + size)));
        at += size;
      }
      assert.deepEqual(messages, referenceParse(stream));
    }),
    { seed, numRuns: 5000 },
  );
});
