import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, test } from 'node:test';
import { TestServer } from '../support/server.js';

const head = (length: number, extra = '') =>
  `POST /v1/commit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${extra}\r\n`;
const chunkedHead =
  'POST /v1/commit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const post = (body: string) => head(Buffer.byteLength(body), 'Connection: close\r\n') + body;

/** Nothing was written by what came before, and the server still takes commits. */
async function assertUnharmed(server: TestServer): Promise<void> {
  assert.equal((await server.get('/v1/version')).body.version, 0);
  assert.equal((await server.commit()).body.version, 1);
}

describe('malformed bodies', () => {
  test('are answered 400 and write nothing', async (t) => {
    const server = await TestServer.start(t);
    const { body } = await server.get('/v1/version');
    const fields = `"leader_id":"${body.leader_id}","read_version":0`;
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    const bodies = [
      '',
      ' ',
      '{',
      'null',
      '[]',
      '{}',
      `{${fields}}`,
      `{${fields},"operations":${deep}}`,
      `{${fields},"operations":[${deep}]}`,
      `{${fields},"operations":[],"preconditions":[{"type":"point_read","key":${deep}}]}`,
      `{"leader_id":"x","read_version":1e400,"operations":[]}`,
      `{"leader_id":"x","read_version":${'9'.repeat(5000)},"operations":[]}`,
      `{"leader_id":"x","read_version":-0.1,"operations":[]}`,
      `{${fields},"operations":[],"request_id":"\\ud800${'x'.repeat(30)}"}`,
      `{${fields},"operations":[],"request_id":"${'x'.repeat(300)}"}`,
      `{${fields},"operations":[{"__proto__":{"type":"write"}}]}`,
      `{${fields},"operations":[{"type":"constructor"}]}`,
    ];
    for (const text of bodies) {
      const answer = await server.raw(post(text));
      assert.match(answer, /^HTTP\/1\.1 400 /, text.slice(0, 80));
      assert.match(answer, /urn:headwater:problem:malformed-request/, text.slice(0, 80));
    }
    const invalidUtf8 = Buffer.concat([
      Buffer.from(head(3, 'Connection: close\r\n')),
      Buffer.from([0x22, 0xff, 0x22]),
    ]);
    assert.match(await server.raw(invalidUtf8), /^HTTP\/1\.1 400 /);
    await assertUnharmed(server);
  });
});

describe('large bodies', () => {
  const LIMIT = 4096;

  test('are refused by their declared length before they are sent, and the connection is closed', async (t) => {
    const server = await TestServer.start(t, { 'max-commit-bytes': LIMIT });
    const answer = await server.raw(head(LIMIT + 1));
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /urn:headwater:problem:content-too-large/);
    await assertUnharmed(server);
  });

  test('are refused as soon as they pass the limit when they declare no length', async (t) => {
    const server = await TestServer.start(t, { 'max-commit-bytes': LIMIT });
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    assert.match(await server.raw(chunkedHead + chunk + chunk), /^HTTP\/1\.1 413 /);
    await assertUnharmed(server);
  });

  test('are not asked for by 100-continue', async (t) => {
    const server = await TestServer.start(t, { 'max-commit-bytes': LIMIT });
    const answer = await server.raw(head(LIMIT + 1, 'Expect: 100-continue\r\n'));
    assert.match(answer, /^HTTP\/1\.1 413 /);
    const small = await server.raw(head(2, 'Expect: 100-continue\r\n'), { until: '100 Continue' });
    assert.match(small, /^HTTP\/1\.1 100 Continue/);
    await assertUnharmed(server);
  });

  test('of exactly the limit are taken', async (t) => {
    const server = await TestServer.start(t, { 'max-commit-bytes': LIMIT });
    const { body } = await server.get('/v1/version');
    const text = JSON.stringify({ leader_id: body.leader_id, read_version: 0, operations: [], pad: '' });
    const padded = text.replace('"pad":""', `"pad":"${'x'.repeat(LIMIT - text.length)}"`);
    const { status } = await server.request('POST', '/v1/commit', padded);
    assert.equal(status, 200);
    assert.equal((await server.request('POST', '/v1/commit', `${padded} `)).status, 413);
  });
});

describe('broken connections', () => {
  test('half-sent bodies write nothing', async (t) => {
    const server = await TestServer.start(t);
    const port = Number(new URL(server.url).port);
    for (const text of [head(100), `${head(100)}{"leader_id":`, chunkedHead, `${chunkedHead}5\r\n{"a"`]) {
      await new Promise<void>((resolve) => {
        const socket = net.connect(port, '127.0.0.1', () => {
          socket.write(text, () => socket.destroy());
        });
        socket.on('close', () => resolve());
      });
    }
    await assertUnharmed(server);
  });

  test('requests that do not arrive in time are answered 408', async (t) => {
    const server = await TestServer.start(t, { 'request-timeout-ms': 100 });
    assert.match(await server.raw(`${head(100)}{`), /^HTTP\/1\.1 408 /);
    assert.match(await server.raw('POST /v1/commit HTTP/1.1\r\nHos'), /^HTTP\/1\.1 408 /);
    await assertUnharmed(server);
  });

  test('bytes that are not HTTP are answered 400 and the connection is closed', async (t) => {
    const server = await TestServer.start(t);
    for (const text of [
      '\0\0\0\0\r\n\r\n',
      'GET\r\n\r\n',
      `${chunkedHead}zz\r\n`,
      'GET / HTTP/1.1\r\nA B: c\r\n\r\n',
    ]) {
      assert.match(await server.raw(text), /^HTTP\/1\.1 400 /, JSON.stringify(text));
    }
    const both =
      'POST /v1/commit HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n';
    assert.match(await server.raw(both), /^HTTP\/1\.1 400 /);
    assert.match(await server.raw(`GET / HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /);
    await assertUnharmed(server);
  });

  test('200 idle connections do not keep others from being served', async (t) => {
    const server = await TestServer.start(t);
    const port = Number(new URL(server.url).port);
    const sockets = await Promise.all(
      Array.from(
        { length: 200 },
        () =>
          new Promise<net.Socket>((resolve) => {
            const socket = net.connect(port, '127.0.0.1', () => resolve(socket));
            socket.on('error', () => socket.destroy());
          }),
      ),
    );
    await assertUnharmed(server);
    for (const socket of sockets) socket.destroy();
  });

  test('pipelined requests are answered in order', async (t) => {
    const server = await TestServer.start(t);
    const { body } = await server.get('/v1/version');
    const text = JSON.stringify({ leader_id: body.leader_id, read_version: 0, operations: [] });
    const one = head(text.length) + text;
    const last = 'GET /ok HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answer = await server.raw(one.repeat(20) + last);
    const versions = [...answer.matchAll(/"version":(\d+)/g)].map(([, version]) => Number(version));
    assert.deepEqual(
      versions,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    assert.match(answer, /\r\n\r\nok$/);
  });

  test('a refused body does not become the next request of its connection', async (t) => {
    const server = await TestServer.start(t);
    const smuggled = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
    const text = `POST /v1/commit HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${smuggled.length + 10}\r\n\r\n`;
    const answer = await server.raw(text + smuggled);
    assert.match(answer, /^HTTP\/1\.1 415 /);
    assert.doesNotMatch(answer, /process_cpu/);
    await assertUnharmed(server);
  });

  test('subscribers that come and go leave nothing behind', async (t) => {
    const server = await TestServer.start(t);
    for (let round = 0; round < 50; round += 1) {
      const stream = await server.subscribe('?after=0&durable=false');
      stream.cancel();
      await stream.untilClosed();
    }
    let metrics = '';
    while (!/^headwater_subscribers\{durable="false"\} 0$/m.test(metrics))
      metrics = (await server.get('/metrics')).text;
    await assertUnharmed(server);
  });

  test('targets that are no path are answered, not fatal', async (t) => {
    const server = await TestServer.start(t);
    const end = ' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    for (const target of [
      'http://[::1',
      'http://[:::1]:80:80/',
      'x',
      '*',
      '//[',
      '/%',
      '/v1/version%00',
      '/?%ff',
    ]) {
      assert.match(await server.raw(`GET ${target}${end}`), /^HTTP\/1\.1 40[04] /, target);
    }
    assert.match(await server.raw(`GET http://example.com/v1/version${end}`), /^HTTP\/1\.1 200 /);
    assert.match(
      await server.raw('GET /ok HTTP/1.1\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 400 .*problem/s,
    );
    const expectation = 'GET /ok HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n';
    assert.match(await server.raw(expectation), /^HTTP\/1\.1 417 .*problem/s);
    await assertUnharmed(server);
  });

  test('a fault behind a commit does not take the place of its answer', async (t) => {
    const server = await TestServer.start(t);
    const { body } = await server.get('/v1/version');
    const text = JSON.stringify({ leader_id: body.leader_id, read_version: 0, operations: [] });
    const answer = await server.raw(`${head(text.length)}${text}GARBAGE\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /"status":"committed","version":1/);
    assert.doesNotMatch(answer, /HTTP\/1\.1 400/);
  });

  test('a fault on the connection of a stream is not written into the stream', async (t) => {
    const server = await TestServer.start(t, { 'request-timeout-ms': 100 });
    const target = 'GET /v1/subscribe?after=0&durable=false HTTP/1.1\r\nHost: x\r\n';
    for (const rest of ['\r\nGARBAGE\r\n\r\n', 'Content-Length: 10\r\n\r\nabc']) {
      const answer = await server.raw(target + rest);
      assert.doesNotMatch(answer, /problem/, rest);
    }
    await assertUnharmed(server);
  });

  test('streams that wait behind another answer end with their connection', async (t) => {
    const server = await TestServer.start(t);
    const subscribe = 'GET /v1/subscribe?after=0 HTTP/1.1\r\nHost: x\r\n\r\n';
    const port = Number(new URL(server.url).port);
    const socket = net.connect(port, '127.0.0.1');
    socket.write(subscribe.repeat(5));
    const subscribers = async () =>
      /^headwater_subscribers\{durable="true"\} (\d+)$/m.exec((await server.get('/metrics')).text)?.[1];
    while ((await subscribers()) !== '5');
    socket.destroy();
    while ((await subscribers()) !== '0');
    await assertUnharmed(server);
  });
});
