import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Reaction, StandIn } from '../testing/stand-in.js';
import { HttpClient, NoAnswer } from './http.js';
import { Transcript } from './transcript.js';

const PATIENCE_MS = 200;

async function connect(
  t: TestContext,
  react: Reaction,
  base = '',
): Promise<{ server: StandIn; client: HttpClient; transcript: Transcript }> {
  const server = await StandIn.start(t, react);
  const client = new HttpClient(server.url + base, PATIENCE_MS);
  t.after(() => client.close());
  return { server, client, transcript: new Transcript() };
}

const silent = { signal: new AbortController().signal };

test('a request and its answer arrive as they were sent, and are kept as evidence', async (t) => {
  const { server, client, transcript } = await connect(t, (_, response) => {
    response.writeHead(418, 'So so', { 'x-one': 'two' }).end('t\u00e4xt');
  });
  const answer = await client.request(transcript, {
    method: 'PUT',
    path: '/v1/a%20b?c=d',
    headers: { 'x-three': 'four' },
    body: 'b\u00f6dy',
  });
  assert.equal(answer.status, 418);
  assert.equal(answer.headers['x-one'], 'two');
  assert.equal(answer.body.toString(), 't\u00e4xt');
  const [received] = server.received;
  assert.equal(received?.method, 'PUT');
  assert.equal(received?.path, '/v1/a%20b?c=d');
  assert.equal(received?.headers['x-three'], 'four');
  assert.equal(received?.headers['content-length'], '5');
  assert.equal(received?.body, 'b\u00f6dy');
  const [exchange, ...others] = transcript.exchanges;
  assert.deepEqual(others, []);
  assert.equal(exchange?.url, `${server.url}/v1/a%20b?c=d`);
  assert.ok(exchange?.requestHead.startsWith('PUT /v1/a%20b?c=d HTTP/1.1\nx-three: four'));
  assert.equal(exchange?.requestBody, 'b\u00f6dy');
  assert.ok(exchange?.responseHead.startsWith('HTTP/1.1 418 So so\nx-one: two'));
  assert.equal(exchange?.responseBody, 't\u00e4xt');
  assert.equal(exchange?.error, undefined);
  assert.notEqual(exchange?.endedMs, undefined);
});

test('a base address with a path begins every path, also in the evidence', async (t) => {
  const { server, client, transcript } = await connect(
    t,
    (_, response) => {
      response.end();
    },
    '/base/',
  );
  await client.request(transcript, { method: 'GET', path: '/ok' });
  const { response } = await client.stream(transcript, '/v1/subscribe', silent.signal);
  response.resume();
  assert.deepEqual(
    server.received.map(({ path }) => path),
    ['/base/ok', '/base/v1/subscribe'],
  );
  assert.deepEqual(
    transcript.exchanges.map(({ requestHead, url }) => [requestHead.split('\n')[0], url]),
    [
      ['GET /base/ok HTTP/1.1', `${server.url}/base/ok`],
      ['GET /base/v1/subscribe HTTP/1.1', `${server.url}/base/v1/subscribe`],
    ],
  );
});

test('connections are used again, unless a fresh one is asked for', async (t) => {
  const { server, client, transcript } = await connect(t, (_, response) => {
    response.end('x');
  });
  await client.request(transcript, { method: 'GET', path: '/1' });
  await client.request(transcript, { method: 'POST', path: '/2', body: 'x' });
  assert.equal(server.connections, 1);
  await client.request(transcript, { method: 'GET', path: '/3', freshConnection: true });
  assert.deepEqual(
    server.received.map(({ connection, place }) => [connection, place]),
    [
      [0, 0],
      [0, 1],
      [1, 0],
    ],
  );
});

test('close gives up the connections that were kept', async (t) => {
  const { server, client, transcript } = await connect(t, (_, response) => {
    response.end('x');
  });
  await client.request(transcript, { method: 'GET', path: '/1' });
  assert.equal(server.open, 1);
  client.close();
  for (let tries = 0; server.open > 0 && tries < 100; tries += 1) await sleep(10);
  assert.equal(server.open, 0);
});

test('a body is sent in chunks without its length where that is asked for', async (t) => {
  const { server, client, transcript } = await connect(t, (_, response) => {
    response.end('x');
  });
  for (const body of ['abc', '', Buffer.alloc(200_000, 'x')]) {
    await client.request(transcript, { method: 'POST', path: '/', body, chunked: true });
    const received = server.received.at(-1);
    assert.equal(received?.headers['transfer-encoding'], 'chunked');
    assert.equal(received?.headers['content-length'], undefined);
    assert.equal(received?.body, body.toString());
  }
});

test('an answer in chunks is put together', async (t) => {
  const { client, transcript } = await connect(t, (_, response) => {
    response.write('one ');
    setTimeout(() => response.end('two'), 20);
  });
  const { body } = await client.request(transcript, { method: 'GET', path: '/' });
  assert.equal(body.toString(), 'one two');
});

test('what does not answer in time is no answer, and the connection is closed', async (t) => {
  const { server, client, transcript } = await connect(t, () => undefined);
  const began = performance.now();
  await assert.rejects(client.request(transcript, { method: 'GET', path: '/slow' }), (error) => {
    assert.ok(error instanceof NoAnswer);
    assert.match(error.message, /^GET \/slow: no answer within 200 ms$/);
    return true;
  });
  assert.ok(performance.now() - began >= PATIENCE_MS - 5);
  assert.match(transcript.exchanges[0]?.error ?? '', /no answer within/);
  for (let tries = 0; server.open > 0 && tries < 100; tries += 1) await sleep(10);
  assert.equal(server.open, 0);
});

test('an answer whose body does not end in time is no answer', async (t) => {
  const { client, transcript } = await connect(t, (_, response) => {
    response.write('begun');
  });
  await assert.rejects(client.request(transcript, { method: 'GET', path: '/' }), NoAnswer);
});

test('a connection that breaks within the answer is no answer, and nothing is sent again', async (t) => {
  const { server, client, transcript } = await connect(t, ({ place }, response, socket) => {
    if (place === 0) response.end('whole');
    else {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => socket.destroy(), 20);
    }
  });
  await client.request(transcript, { method: 'GET', path: '/' });
  await assert.rejects(client.request(transcript, { method: 'GET', path: '/' }), NoAnswer);
  assert.equal(server.received.length, 2);
  const exchange = transcript.exchanges.at(-1);
  assert.equal(exchange?.responseBody, 'half');
  assert.notEqual(exchange?.error, undefined);
});

test('a body that is longer than its connection lasted is not taken for whole', async (t) => {
  const { client, transcript } = await connect(t, (_, _response, socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n');
    setTimeout(() => socket.end(), 20);
  });
  await assert.rejects(client.request(transcript, { method: 'POST', path: '/', body: 'x' }), NoAnswer);
});

/** Breaks every connection when it is used for the second time. */
const breakReused: Reaction = ({ place }, response, socket) => {
  if (place === 0) response.end('x');
  else socket.destroy();
};

test('a GET on a connection that was closed when it was used again is sent once more', async (t) => {
  const { server, client, transcript } = await connect(t, breakReused);
  await client.request(transcript, { method: 'GET', path: '/1' });
  const { status } = await client.request(transcript, { method: 'GET', path: '/2' });
  assert.equal(status, 200);
  assert.deepEqual(
    server.received.map(({ path, connection }) => [path, connection]),
    [
      ['/1', 0],
      ['/2', 0],
      ['/2', 1],
    ],
  );
});

test('it is sent again on a connection that was never used', async (t) => {
  const { server, client, transcript } = await connect(t, breakReused);
  const get = (path: string) => client.request(transcript, { method: 'GET', path });
  await Promise.all([get('/1'), get('/2'), get('/3')]);
  assert.equal(server.connections, 3);
  assert.equal((await get('/4')).status, 200);
  assert.equal(server.connections, 4);
});

test('a POST is never sent again', async (t) => {
  const { server, client, transcript } = await connect(t, breakReused);
  await client.request(transcript, { method: 'GET', path: '/1' });
  await assert.rejects(client.request(transcript, { method: 'POST', path: '/2', body: 'x' }), NoAnswer);
  assert.equal(server.received.length, 2);
});

test('a GET on a new connection that is closed is not sent again', async (t) => {
  const { server, client, transcript } = await connect(t, (_, _response, socket) => {
    socket.destroy();
  });
  await assert.rejects(client.request(transcript, { method: 'GET', path: '/' }), NoAnswer);
  assert.equal(server.received.length, 1);
});

test('a GET that is not answered, or answered with something else than HTTP, is not sent again', async (t) => {
  for (const reaction of ['', 'nonsense\r\n\r\n']) {
    const { server, client, transcript } = await connect(t, ({ place }, response, socket) => {
      if (place === 0) response.end('x');
      else if (reaction !== '') socket.write(reaction);
    });
    await client.request(transcript, { method: 'GET', path: '/1' });
    await assert.rejects(client.request(transcript, { method: 'GET', path: '/2' }), NoAnswer);
    assert.equal(server.received.length, 2, reaction);
  }
});

test('where nobody listens there is no answer', async (t) => {
  const server = await StandIn.start(t, () => undefined);
  const { url } = server;
  await server.close();
  const client = new HttpClient(url, PATIENCE_MS);
  const transcript = new Transcript();
  await assert.rejects(client.request(transcript, { method: 'GET', path: '/' }), NoAnswer);
  await assert.rejects(client.stream(transcript, '/', silent.signal), NoAnswer);
  const open = client.open(transcript, { method: 'POST', path: '/' }, 10);
  await open.send(Buffer.from('12345'));
  open.finish(Buffer.from('67890'));
  await assert.rejects(open.answer, NoAnswer);
});

test('a body is sent in parts, and arrives when the rest is sent', async (t) => {
  const { server, client, transcript } = await connect(t, (_, response) => {
    response.end('x');
  });
  for (const length of [6, undefined]) {
    const before = server.received.length;
    const open = client.open(transcript, { method: 'POST', path: '/' }, length);
    await open.send(Buffer.from('ab'));
    await open.send(Buffer.from('cde'));
    await sleep(30);
    assert.equal(server.received.length, before);
    open.finish(Buffer.from('f'));
    assert.equal((await open.answer).status, 200);
    const received = server.received.at(-1);
    assert.equal(received?.body, 'abcdef');
    assert.equal(received?.headers['content-length'], length === undefined ? undefined : '6');
    assert.equal(received?.headers['transfer-encoding'], length === undefined ? 'chunked' : undefined);
  }
  assert.equal(server.connections, 2);
});

test('a request that is abandoned has no answer, and does not arrive', async (t) => {
  const { server, client, transcript } = await connect(t, (_, response) => {
    response.end('x');
  });
  const open = client.open(transcript, { method: 'POST', path: '/' }, 6);
  await open.send(Buffer.from('abc'));
  open.abandon();
  await assert.rejects(open.answer, NoAnswer);
  for (let tries = 0; server.open > 0 && tries < 100; tries += 1) await sleep(10);
  assert.equal(server.open, 0);
  assert.deepEqual(server.received, []);
});

test('an answer that comes before the request has ended counts', async (t) => {
  const server = await StandIn.start(t, () => undefined);
  const client = new HttpClient(server.url, PATIENCE_MS);
  const transcript = new Transcript();
  t.after(() => client.close());
  const open = client.open(transcript, { method: 'POST', path: '/', headers: { expect: 'nothing' } }, 6);
  // The stand-in answers 417 to what it cannot expect, without reading the body.
  await open.send(Buffer.from('abc'));
  assert.equal((await open.answer).status, 417);
});

test('the answer of a stream is there before its body ends', async (t) => {
  const { server, client, transcript } = await connect(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: x\n\n');
  });
  const abort = new AbortController();
  const { response, exchange } = await client.stream(transcript, '/v1/subscribe', abort.signal);
  assert.equal(response.statusCode, 200);
  assert.ok(exchange.responseHead.startsWith('HTTP/1.1 200 OK\ncontent-type: text/event-stream'));
  assert.equal(server.received[0]?.headers.accept, 'text/event-stream');
  const ended = new Promise((resolve) => response.on('close', resolve));
  response.on('error', () => undefined);
  await sleep(PATIENCE_MS + 50);
  assert.equal(server.open, 1, 'patience is for the head of the answer only');
  abort.abort();
  await ended;
  for (let tries = 0; server.open > 0 && tries < 100; tries += 1) await sleep(10);
  assert.equal(server.open, 0);
});

test('a stream that is not answered in time is no answer', async (t) => {
  const { client, transcript } = await connect(t, () => undefined);
  await assert.rejects(
    client.stream(transcript, '/v1/subscribe', silent.signal),
    (error) => error instanceof NoAnswer && /no answer within 200 ms/.test(error.message),
  );
});

test('a stream that is closed before it is answered is no answer', async (t) => {
  const { client, transcript } = await connect(t, () => undefined);
  const abort = new AbortController();
  const opening = client.stream(transcript, '/', abort.signal);
  abort.abort();
  await assert.rejects(opening, NoAnswer);
  await assert.rejects(
    client.stream(transcript, '/', abort.signal),
    /closed by the suite/,
    'aborted at first',
  );
});

test('an answer that switches protocols is no answer', async (t) => {
  const { client, transcript } = await connect(t, (_, _response, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  });
  const opening = client.stream(transcript, '/', silent.signal);
  const outcome = await Promise.race([opening.catch((error) => error), sleep(4 * PATIENCE_MS, 'never')]);
  assert.ok(outcome instanceof NoAnswer, String(outcome));
});
