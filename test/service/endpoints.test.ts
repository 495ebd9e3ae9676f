import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestServer, temporaryDirectory } from '../support/server.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const write = (key: string, value = 'value') => ({ type: 'write', key: base64(key), value: base64(value) });
const ID = 'the-one-id-of-this-test';

describe('version and commit', () => {
  test('an empty log is at version 0, and the first commit takes version 1', async (t) => {
    const server = await TestServer.start(t);
    const { body: empty } = await server.get('/v1/version');
    assert.equal(empty.version, 0);
    assert.match(empty.leader_id, /^[A-Za-z0-9_-]{22}$/);
    const { status, body } = await server.commit({ operations: [write('a')] });
    assert.equal(status, 200);
    assert.deepEqual(body, { status: 'committed', version: 1, leader_id: empty.leader_id });
    assert.equal((await server.get('/v1/version')).body.version, 1);
  });

  test('a request ID that was sent is repeated, whatever the outcome', async (t) => {
    const server = await TestServer.start(t);
    const { body } = await server.commit({ request_id: ID, operations: [write('a')] });
    assert.equal(body.request_id, ID);
    const refused = await server.commit({ request_id: `${ID}-2`, leader_id: 'another' });
    assert.equal(refused.body.status, 'not_committed');
    assert.equal(refused.body.request_id, `${ID}-2`);
  });

  test('conflicts are repeated as they were sent, with versions filled in', async (t) => {
    const server = await TestServer.start(t);
    await server.commit({ operations: [write('b'), write('d')] });
    const { status, body } = await server.commit({
      read_version: 0,
      preconditions: [
        { type: 'point_read', key: base64('a') },
        { type: 'point_read', key: base64('b'), version: 0 },
        { type: 'range_read', begin: base64('c'), end: base64('e') },
        { type: 'point_read', key: base64('b'), version: 1 },
      ],
      operations: [write('b')],
    });
    assert.equal(status, 200);
    assert.equal(body.status, 'not_committed');
    assert.equal(body.version, 1);
    assert.deepEqual(body.conflicts, [
      { type: 'point_read', version: 0, key: base64('b') },
      { type: 'range_read', version: 0, begin: base64('c'), end: base64('e') },
    ]);
  });

  test('problems are RFC 9457 bodies with pointers', async (t) => {
    const server = await TestServer.start(t);
    const { status, headers, body } = await server.commit({ operations: [{ type: 'write', key: 'x' }] });
    assert.equal(status, 400);
    assert.equal(headers.get('content-type'), 'application/problem+json');
    assert.equal(body.type, 'urn:headwater:problem:malformed-request');
    assert.deepEqual(
      body.errors.map((fault: { pointer: string }) => fault.pointer),
      ['/operations/0/key', '/operations/0/value'],
    );
    assert.equal((await server.get('/v1/version')).body.version, 0);
  });

  test('a version ahead of the log and a reused ID are problems of their own', async (t) => {
    const server = await TestServer.start(t);
    await server.commit({ request_id: ID });
    const ahead = await server.commit({ read_version: 2 });
    assert.equal(ahead.status, 400);
    assert.equal(ahead.body.type, 'urn:headwater:problem:version-ahead-of-log');
    const reused = await server.commit({ request_id: ID });
    assert.equal(reused.status, 400);
    assert.equal(reused.body.type, 'urn:headwater:problem:request-id-reused');
    assert.equal((await server.get('/v1/version')).body.version, 1);
  });

  test('media types other than JSON in UTF-8 are refused', async (t) => {
    const server = await TestServer.start(t);
    const send = (headers: Record<string, string>) => server.request('POST', '/v1/commit', '{}', headers);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ]) {
      assert.equal((await send({ 'content-type': type })).status, 415, type);
    }
    assert.equal((await send({ 'content-encoding': 'gzip' })).status, 415);
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/json;charset="utf-8"',
    ]) {
      assert.equal((await send({ 'content-type': type })).status, 400, type);
    }
  });
});

describe('status', () => {
  test('tells what became of a request', async (t) => {
    const server = await TestServer.start(t);
    const { body } = await server.commit({ request_id: ID });
    const status = (id: string) =>
      server.get(`/v1/status?request_id=${encodeURIComponent(id)}&min_version=0`);
    assert.deepEqual((await status(ID)).body, { status: 'committed', version: 1, leader_id: body.leader_id });
    const unknown = 'never seen before, with spaces & \u00fcmlauts';
    assert.deepEqual((await status(unknown)).body, { status: 'id_not_found' });
    assert.equal(
      (await server.commit({ request_id: unknown })).body.type,
      'urn:headwater:problem:request-id-reused',
    );
  });

  test('takes a plus sign for what it is', async (t) => {
    const server = await TestServer.start(t);
    const id = 'AAAA+BBBB/CCCC+DDDD==';
    await server.commit({ request_id: id });
    assert.equal((await server.get(`/v1/status?request_id=${id}&min_version=0`)).body.status, 'committed');
  });

  test('needs both parameters, each of its form', async (t) => {
    const server = await TestServer.start(t);
    for (const query of ['', '?request_id=x', '?min_version=0', '?request_id=&min_version=0']) {
      assert.equal((await server.get(`/v1/status${query}`)).status, 400, query);
    }
    for (const id of ['%ff', '%', 'a%2', 'x'.repeat(257)]) {
      assert.equal((await server.get(`/v1/status?request_id=${id}&min_version=0`)).status, 400, id);
    }
    for (const version of ['-1', '1.0', '1e3', '', 'x', '9007199254740992', '0&min_version=0']) {
      assert.equal((await server.get(`/v1/status?request_id=x&min_version=${version}`)).status, 400, version);
    }
  });
});

describe('subscribe', () => {
  test('streams from any version, with the headers of an event stream', async (t) => {
    const server = await TestServer.start(t);
    for (let count = 0; count < 3; count += 1) await server.commit({ operations: [write('a')] });
    const stream = await server.subscribe('?after=1');
    await stream.until(() => stream.versions.length === 2);
    await server.commit();
    await stream.until(() => stream.versions.length === 3);
    assert.deepEqual(stream.versions, [2, 3, 4]);
    assert.equal(stream.response.headers.get('content-type'), 'text/event-stream');
    assert.equal(stream.response.headers.get('cache-control'), 'no-store');
    assert.equal(stream.response.headers.get('x-accel-buffering'), 'no');
    assert.equal(stream.response.headers.get('content-encoding'), null);
    assert.doesNotMatch(stream.text, /^id:/m);
    stream.cancel();
  });

  test('sends keepalives in silence', async (t) => {
    const server = await TestServer.start(t, { 'keepalive-ms': 20 });
    const stream = await server.subscribe('?after=0');
    await stream.until((text) => text.startsWith(': keepalive\n\n: keepalive\n\n'));
    stream.cancel();
  });

  test('sends checkpoints with durable=false only', async (t) => {
    const server = await TestServer.start(t);
    const stream = await server.subscribe('?after=0&durable=false');
    const { body } = await server.commit();
    const checkpoint = `event: checkpoint\ndata: {"committed_version":1,"leader_id":"${body.leader_id}"}\n\n`;
    await stream.until((text) => text.endsWith(checkpoint));
    stream.cancel();
  });

  test('refuses what it cannot serve before the first event', async (t) => {
    const server = await TestServer.start(t);
    assert.equal(
      (await server.get('/v1/subscribe?after=1')).body.type,
      'urn:headwater:problem:version-ahead-of-log',
    );
    for (const query of ['after=-1', 'after=x', 'durable=yes', 'durable=', 'after=0&after=0']) {
      assert.equal((await server.get(`/v1/subscribe?${query}`)).status, 400, query);
    }
  });

  test('answers 410 below what was truncated, and status says so too', async (t) => {
    const server = await TestServer.start(t, {
      'segment-bytes': 16384,
      'retain-versions': 0,
      'request-id-retain-ms': 0,
      'request-id-retain-versions': 0,
      'truncate-interval-ms': 10,
    });
    await server.request('PUT', '/v1/retention/hold', { prevent_truncate: 1 });
    for (let count = 0; count < 10; count += 1) {
      await server.commit({ request_id: `${ID}-${count}`, operations: [write('a', 'x'.repeat(6000))] });
    }
    const status = async () => {
      const response = await fetch(`${server.url}/v1/subscribe?after=0`);
      await response.body?.cancel();
      return response.status;
    };
    assert.equal(await status(), 200, 'a policy holds it');
    await server.request('DELETE', '/v1/retention/hold');
    while ((await status()) !== 410);
    const gone = await server.get('/v1/subscribe?after=0');
    assert.equal(gone.body.type, 'urn:headwater:problem:log-truncated');
    assert.ok(gone.body.truncated_through >= 1);
    const lost = await server.get(`/v1/status?request_id=${ID}-0&min_version=0`);
    assert.deepEqual(lost.body, { status: 'log_truncated' });
    const late = await server.request('PUT', '/v1/retention/late', { prevent_truncate: 1 });
    assert.equal(late.status, 410);
    assert.ok(late.body.oldest_version > 1);
    assert.equal((await server.get('/v1/retention/late')).status, 404);
  });
});

describe('retention', () => {
  test('policies are created, updated, read, listed and deleted', async (t) => {
    const server = await TestServer.start(t);
    const put = (id: string, version: unknown) =>
      server.request('PUT', `/v1/retention/${id}`, { prevent_truncate: version });
    assert.equal((await put('backup', 5)).status, 201);
    assert.equal((await put('backup', 6)).status, 200);
    assert.equal((await put('a%2Eb~_-9', 7)).status, 201);
    assert.deepEqual((await server.get('/v1/retention/backup')).body, { prevent_truncate: 6 });
    const all = [
      { policy_id: 'a.b~_-9', prevent_truncate: 7 },
      { policy_id: 'backup', prevent_truncate: 6 },
    ];
    assert.deepEqual((await server.get('/v1/retention/')).body, all);
    assert.deepEqual((await server.get('/v1/retention')).body, all);
    assert.equal((await server.request('DELETE', '/v1/retention/backup')).status, 204);
    assert.equal((await server.request('DELETE', '/v1/retention/backup')).status, 204);
    assert.equal((await server.get('/v1/retention/backup')).status, 404);
  });

  test('bad IDs and bodies are refused', async (t) => {
    const server = await TestServer.start(t);
    const put = (id: string, body: unknown) => server.request('PUT', `/v1/retention/${id}`, body);
    for (const id of ['%2e', '%2E%2e', 'a%2Fb', 'a%20b', '%zz', '%ff', 'x'.repeat(129), '%C3%A9']) {
      const raw = await server.raw(
        `PUT /v1/retention/${id} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 22\r\n` +
          `Connection: close\r\n\r\n{"prevent_truncate":1}`,
      );
      assert.match(raw, /^HTTP\/1\.1 400 /, id);
    }
    for (const body of [
      '',
      '{',
      '[]',
      '1',
      '{}',
      '{"prevent_truncate":-1}',
      '{"prevent_truncate":1.5}',
      '{"prevent_truncate":"1"}',
    ]) {
      assert.equal((await put('good', body)).status, 400, body);
    }
    assert.equal((await put('good', `{"x":"${'x'.repeat(5000)}"}`)).status, 413);
    const type = await server.request('PUT', '/v1/retention/good', '{}', { 'content-type': 'text/plain' });
    assert.equal(type.status, 415);
    assert.deepEqual((await server.get('/v1/retention/')).body, []);
  });

  test('policies survive a restart, and are bounded', async (t) => {
    const directory = await temporaryDirectory(t);
    const settings = { 'max-retention-policies': 1 };
    const first = await TestServer.start(t, settings, directory);
    await first.request('PUT', '/v1/retention/backup', { prevent_truncate: 5 });
    assert.equal((await first.request('PUT', '/v1/retention/more', { prevent_truncate: 5 })).status, 507);
    await first.stop();
    const second = await TestServer.start(t, settings, directory);
    assert.deepEqual((await second.get('/v1/retention/')).body, [
      { policy_id: 'backup', prevent_truncate: 5 },
    ]);
  });
});

describe('the rest', () => {
  test('health and metrics', async (t) => {
    const server = await TestServer.start(t);
    await server.commit();
    const ok = await server.get('/ok');
    assert.equal(ok.status, 200);
    assert.equal(ok.text, 'ok');
    assert.match(ok.headers.get('content-type') ?? '', /^text\/plain/);
    const metrics = await server.get('/metrics');
    assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(metrics.text, /^# TYPE process_cpu_seconds_total counter$/m);
    assert.match(metrics.text, /^headwater_commits_total\{outcome="committed"\} 1$/m);
    assert.match(metrics.text, /^headwater_durable_version 1$/m);
  });

  test('unknown paths and methods', async (t) => {
    const server = await TestServer.start(t);
    assert.equal((await server.get('/')).status, 404);
    assert.equal((await server.get('/v2/version')).status, 404);
    assert.equal((await server.get('/V1/version')).status, 404);
    const wrong = await server.request('DELETE', '/v1/commit');
    assert.equal(wrong.status, 405);
    assert.equal(wrong.headers.get('allow'), 'POST');
    assert.equal(wrong.body.type, 'urn:headwater:problem:method-not-allowed');
    assert.match((await server.request('POST', '/v1/version', {})).headers.get('allow') ?? '', /GET/);
    assert.equal((await server.get('/ok')).headers.get('access-control-allow-origin'), null);
  });

  test('a restart keeps what was committed and starts a new term above it', async (t) => {
    const directory = await temporaryDirectory(t);
    const first = await TestServer.start(t, {}, directory);
    await first.commit({ request_id: ID, operations: [write('a')] });
    const { body: before } = await first.get('/v1/version');
    await first.stop();

    const second = await TestServer.start(t, {}, directory);
    const { body: after } = await second.get('/v1/version');
    assert.equal(after.version, 1);
    assert.notEqual(after.leader_id, before.leader_id);
    assert.equal(
      (await second.commit({ request_id: ID })).body.type,
      'urn:headwater:problem:request-id-reused',
    );
    const { body } = await second.commit({ preconditions: [{ type: 'point_read', key: base64('a') }] });
    assert.equal(body.status, 'committed');
    assert.ok(body.version > 10_000);
    const stream = await second.subscribe('?after=0');
    await stream.until(() => stream.versions.length === 2);
    assert.deepEqual(stream.versions, [1, body.version]);
    assert.match(stream.text, /"prev_version":1,/);
    stream.cancel();
  });
});
