import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeCanonicalBase64 } from '../../src/http/base64.js';
import { seed } from '../support/seed.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

test('a text is taken if and only if encoding its bytes gives it back', () => {
  const nearly = fc.array(fc.constantFrom(...ALPHABET, '=', '-', '_', ' ', '\u0141'), { maxLength: 80 });
  fc.assert(
    fc.property(nearly, (characters) => {
      const text = characters.join('');
      const again = Buffer.from(text, 'base64').toString('base64');
      const decoded = decodeCanonicalBase64(text);
      assert.equal(decoded && Buffer.from(decoded).toString('base64'), again === text ? text : undefined);
    }),
    { seed, numRuns: 5000 },
  );
});

test('bytes come back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const decoded = decodeCanonicalBase64(Buffer.from(bytes).toString('base64'));
      assert.deepEqual(decoded && new Uint8Array(decoded), bytes);
    }),
    { seed, numRuns: 2000 },
  );
});
