import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlCommand } from './curl.js';

const HOSTILE = `it's 'so' "here" $HOME \`id\` \\ !x\n<>|;&*?{a,b}[1-2] \u00e4`;

/** What a shell makes of the command: the arguments of curl, and what it would read from standard input. */
function argumentsOf(command: string): string[] {
  assert.ok(command.startsWith('curl '));
  // The last argument is ended too, so that an empty one can be told from none.
  const shown = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${command.slice('curl '.length)}`]);
  return shown.toString().split('\0').slice(0, -1);
}

const URL_ = 'http://127.0.0.1:80/v1/commit?a=1&b=2';

test('a GET is a URL', () => {
  assert.deepEqual(argumentsOf(curlCommand('GET', URL_, {}, undefined)), ['-sN', URL_]);
});

test('method, headers and body reach curl as they are, whatever is in them', () => {
  const words = argumentsOf(
    curlCommand('POST', `${URL_}&${HOSTILE}`, { 'content-type': HOSTILE, b: '2' }, Buffer.from(HOSTILE)),
  );
  assert.deepEqual(words.slice(0, 8), [
    '-sN',
    '-X',
    'POST',
    `${URL_}&${HOSTILE}`,
    '-H',
    `content-type: ${HOSTILE}`,
    '-H',
    'b: 2',
  ]);
  assert.equal(words[9], HOSTILE);
  assert.equal(words.length, 10);
});

test('a body is sent as it is, even one that begins with @', () => {
  const words = argumentsOf(curlCommand('POST', URL_, {}, Buffer.from('@/etc/passwd\n')));
  assert.deepEqual(words.slice(-2), ['--data-raw', '@/etc/passwd\n']);
});

test('the length is left to curl', () => {
  assert.deepEqual(
    argumentsOf(curlCommand('PUT', URL_, { 'content-length': '3', a: 'b' }, Buffer.from('abc'))),
    ['-sN', '-X', 'PUT', URL_, '-H', 'a: b', '--data-raw', 'abc'],
  );
});

test('an empty body is a body', () => {
  assert.deepEqual(argumentsOf(curlCommand('POST', URL_, {}, Buffer.alloc(0))).slice(-2), ['--data-raw', '']);
});

test('a body that is no text, or too long, is only described', () => {
  for (const body of [Buffer.of(0xff, 0xfe), Buffer.from('a\0b'), Buffer.alloc(16_385, 'x')]) {
    const command = curlCommand('POST', URL_, {}, body);
    assert.deepEqual(argumentsOf(command).slice(-2), ['--data-binary', '@-']);
    assert.ok(command.endsWith(`# ${body.length} bytes on standard input`));
  }
  assert.equal(argumentsOf(curlCommand('POST', URL_, {}, Buffer.alloc(16_384, 'x'))).at(-1)?.length, 16_384);
});
