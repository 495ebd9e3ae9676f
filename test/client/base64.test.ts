import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64, portableBase64 } from '../../src/client/base64.js';

const faces = { base64, portableBase64 };

for (const [name, face] of Object.entries(faces)) {
  // RFC 4648 section 10.
  for (const [plain, text] of Object.entries({
    '': '',
    f: 'Zg==',
    fo: 'Zm8=',
    foo: 'Zm9v',
    foob: 'Zm9vYg==',
    fooba: 'Zm9vYmE=',
    foobar: 'Zm9vYmFy',
  })) {
    test(`${name}: "${plain}"`, () => {
      assert.equal(face.encode(new TextEncoder().encode(plain)), text);
      assert.equal(new TextDecoder().decode(face.decode(text)), plain);
    });
  }

  for (const text of [
    ...['A', 'AA', 'AAA', '=', '====', 'A===', 'AA=A', 'AAAA=', 'AA==AAAA'],
    ...['AA\n=', 'AA AA', ' AAAA', 'AA-_', 'AA*=', 'AA\u00e9=', 'AA\u0141A', 'Zh==', 'Zm9=', '//8A/x=='],
  ]) {
    test(`${name}: refuses "${text}"`, () => assert.throws(() => face.decode(text), SyntaxError));
  }

  test(`${name}: answers plain byte arrays, and takes views`, () => {
    assert.equal(Object.getPrototypeOf(face.decode('AAEC')), Uint8Array.prototype);
    const view = Uint8Array.from([9, 1, 2, 3, 9]).subarray(1, 4);
    assert.equal(face.encode(view), 'AQID');
  });

  test(`${name}: more than one chunk of characters`, () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) & 0xff);
    assert.deepEqual(face.decode(face.encode(bytes)), bytes);
  });
}
