import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SelftestServer } from './server/selftest-server.js';
import { pointRead, TestClient, write } from './testing/client.js';

const REQUEST_ID = 'request-of-the-tour-000';

test('the server without faults obeys the specification on a tour', async (t) => {
  const server = await SelftestServer.start({ faults: new Set(), variants: new Set() });
  t.after(() => server.stop());
  const client = new TestClient(server.url);
  const { leader_id: firstLeader } = await client.version();

  await t.test('commits, one version after the other', async () => {
    const first = await client.commit({ request_id: REQUEST_ID, operations: [write('a', 'one')] });
    const { status, version, leader_id, request_id } = first.json;
    assert.deepEqual([status, version, leader_id, request_id], ['committed', 1, firstLeader, REQUEST_ID]);
    const second = await client.commit({ operations: [write('b', 'one')] });
    assert.equal(second.json['version'], 2);
  });

  await t.test('rejects what read an old version, and takes the retry', async () => {
    const stale = { preconditions: [pointRead('a')], operations: [write('a', 'two')] };
    const { status, json } = await client.commit({ ...stale, read_version: 0 });
    assert.equal(status, 200);
    assert.equal(json['status'], 'not_committed');
    assert.deepEqual(json['conflicts'], [{ ...pointRead('a'), version: 0 }]);
    const retry = await client.commit({ ...stale, read_version: json['version'] });
    assert.equal(retry.json['status'], 'committed');
  });

  await t.test('refuses a used request_id, a body that is malformed, and one that is too large', async () => {
    const answers = [
      await client.commit({ request_id: REQUEST_ID, operations: [] }),
      await client.commit({ operations: [{ type: 'write', key: 'YQ', value: '' }] }),
      await client.commit({ operations: [write('a', 'x'.repeat(70_000))] }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 413],
    );
    assert.equal((await client.version())['version'], 3);
  });

  await t.test('knows outcomes, and holds to them', async () => {
    assert.equal(await client.status(REQUEST_ID, 1), 'committed');
    assert.equal(await client.status('request-that-comes-late', 0), 'id_not_found');
    const late = await client.commit({ request_id: 'request-that-comes-late', operations: [] });
    assert.equal(late.status, 400);
  });

  await t.test('streams what was and what comes, with and without checkpoints', async () => {
    const live = client.events('after=1&durable=true', 3);
    await client.commit({ operations: [write('c', 'one')] });
    const chain = (await live).map(([name, data]) => [name, data['prev_version'], data['version']]);
    assert.deepEqual(chain, [
      ['transaction', 1, 2],
      ['transaction', 2, 3],
      ['transaction', 3, 4],
    ]);
    const accepted = await client.events('after=3&durable=false', 2);
    assert.deepEqual(
      accepted.map(([name, data]) => [name, data['version'] ?? data['committed_version']]),
      [
        ['transaction', 4],
        ['checkpoint', 4],
      ],
    );
  });

  await t.test('keeps policies', async () => {
    const put = (version: number) => client.ask('PUT', '/v1/retention/a%2Fb', { prevent_truncate: version });
    assert.deepEqual([(await put(2)).status, (await put(3)).status], [201, 200]);
    assert.deepEqual((await client.ask('GET', '/v1/retention/a%2Fb')).json, { prevent_truncate: 3 });
    assert.deepEqual((await client.ask('GET', '/v1/retention/')).json, {
      list: [{ policy_id: 'a/b', prevent_truncate: 3 }],
    });
    assert.equal((await client.ask('GET', '/v1/retention/other')).status, 404);
  });

  await t.test('goes on after a kill where it was, with a new leader', async () => {
    await server.hooks.restart?.();
    const { version, leader_id } = await client.version();
    assert.equal(version, 4);
    assert.notEqual(leader_id, firstLeader);
    const late = await client.commit({ leader_id: firstLeader, operations: [] });
    assert.equal(late.json['status'], 'not_committed');
    const next = await client.commit({ operations: [] });
    assert.ok(Number(next.json['version']) > 4);
    assert.equal(await client.status(REQUEST_ID, 0), 'committed');
    const [[, event] = []] = await client.events('after=4', 1);
    assert.equal(event?.['prev_version'], 4);
  });

  await t.test('truncates up to the lowest policy, and no further', async () => {
    await server.hooks.truncate?.();
    assert.equal((await client.ask('GET', '/v1/subscribe?after=1')).status, 410);
    const [[, event] = []] = await client.events('after=2', 1);
    assert.equal(event?.['version'], 3);
    assert.equal(await client.status(REQUEST_ID, 0), 'log_truncated');
    assert.equal((await client.ask('DELETE', '/v1/retention/a%2Fb')).status, 204);
    await server.hooks.truncate?.();
    assert.equal((await client.ask('GET', '/v1/subscribe?after=3')).status, 410);
  });

  await t.test('answers health check and metrics', async () => {
    assert.equal((await fetch(`${server.url}/ok`)).status, 200);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    assert.match(metrics, /^# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total \d/m);
  });
});
