import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asInteger, isObject, parseJson, toJson } from './json.js';

test('integers keep every digit, however long they are', () => {
  for (const digits of [
    '0',
    '-1',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '18446744073709551617',
    '1'.repeat(400),
  ]) {
    const { version } = parseJson(`{"version": ${digits}}`) as { version: unknown };
    assert.equal(asInteger(version), BigInt(digits));
  }
});

test('an integer that a number can hold is a number', () => {
  assert.deepEqual(parseJson('[9007199254740991, -9007199254740991, 5]'), [
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    5,
  ]);
  assert.equal(parseJson('9007199254740992'), 2n ** 53n);
});

test('fractions and exponents are numbers, also beside long integers', () => {
  const json = '[1.5, 1e3, -2.5E-1, 9007199254740993, 0.12345678901234568]';
  assert.deepEqual(parseJson(json), [1.5, 1000, -0.25, 9007199254740993n, 0.12345678901234568]);
});

test('a number with an exponent or a fraction that is no safe integer is no integer', () => {
  for (const text of ['1.5', '1e400', '12345678901234567890.5', '1e16', '9007199254740993e0'])
    assert.equal(asInteger(parseJson(text)), undefined, text);
  assert.equal(asInteger(parseJson('1e3')), 1000n);
  assert.equal(asInteger(parseJson('5.0')), 5n);
});

test('digits in strings stay as they are', () => {
  const text = '"00090071992547409930000"';
  assert.equal(parseJson(text), '00090071992547409930000');
  assert.deepEqual(parseJson(`{${text}: ${text}}`), {
    '00090071992547409930000': '00090071992547409930000',
  });
  const strange = '12345678901234567 \u20ac \u{1f409} \\ " \n \u0000 \u007f \ud800';
  assert.equal(parseJson(JSON.stringify(strange)), strange);
});

test('of a name that stands twice, the last value counts, with and without long numbers', () => {
  assert.deepEqual(parseJson('{"a": 1, "a": 2}'), { a: 2 });
  assert.deepEqual(parseJson('{"a": 9007199254740993, "a": 9007199254740995}'), { a: 9007199254740995n });
});

test('what is not JSON is a SyntaxError, with and without long numbers', () => {
  for (const text of ['', '{', '[1,]', "{'a': 1}", '{"a" 1}', '01', '+1', '.5', 'NaN', '1 2', '"\n"'])
    for (const whole of [text, `[9007199254740993, ${text}`, `[${text} 9007199254740993`])
      assert.throws(() => parseJson(whole), SyntaxError, whole);
});

test('JSON of bigints has all their digits', () => {
  assert.equal(
    toJson({ version: 9007199254740993n, list: [1, 'a', null, true], text: '"' }),
    '{"version":9007199254740993,"list":[1,"a",null,true],"text":"\\""}',
  );
});

test('only integers are taken for integers', () => {
  assert.equal(asInteger(7n), 7n);
  assert.equal(asInteger(-7), -7n);
  for (const value of [1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '7', null, undefined, true, [7]])
    assert.equal(asInteger(value), undefined, String(value));
});

test('an object is neither null nor an array', () => {
  assert.equal(isObject({}), true);
  for (const value of [null, [], 'a', 1, undefined]) assert.equal(isObject(value), false);
});
