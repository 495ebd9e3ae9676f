import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeadwaterClient } from '../../src/client/index.js';
import { ChildServer } from '../support/child-server.js';
import { temporaryDirectory } from '../support/server.js';

const MIB = 1 << 20;
const LOG_BYTES = 24 * MIB;
const READERS = 100;
const STUCK_READERS = 100;
/** What 200 streams and both caches may take: 350 KB a stream, the caches, and slack for a lazy collector. */
const GROWTH_BYTES_MAX = 120 * MIB;

async function residentBytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]);
}

/** Follows the log from its start over a bare socket; resolves when `lastVersion` came by. */
function followFromStart(url: string, lastVersion: number): Promise<void> {
  const marker = `"version":${lastVersion},`;
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    let end = '';
    socket.write('GET /v1/subscribe?after=0 HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.on('data', (chunk) => {
      end = end.slice(-marker.length) + chunk.toString('latin1');
      if (end.includes(marker)) socket.destroy();
    });
    socket.on('close', () =>
      end.includes(marker) ? resolve() : reject(new Error('the stream ended early')),
    );
    socket.on('error', reject);
  });
}

test('memory stays bounded while 200 subscribers catch up at once, half of them stuck', async (t) => {
  const server = new ChildServer(
    t,
    {
      'data-dir': await temporaryDirectory(t),
      'segment-bytes': 4 * MIB,
      'tail-bytes': MIB,
      'catch-up-cache-bytes': MIB,
      'log-level': 'error',
    },
    ['--max-old-space-size=64'],
  );
  await server.start();
  const client = new HeadwaterClient({ url: server.url });
  const operations = Array.from({ length: 100 }, (_, index) => ({
    type: 'write' as const,
    key: `key-${index}`,
    value: 'x'.repeat(2000),
  }));
  let latest = await client.version();
  for (let written = 0; written < LOG_BYTES; written += 200_000) {
    const result = await client.commit({
      leaderId: latest.leaderId,
      readVersion: latest.version,
      operations,
    });
    latest = result;
  }
  const before = await residentBytes(server.url);

  const stuck = Array.from({ length: STUCK_READERS }, () => {
    const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => socket.destroy());
    socket.pause();
    socket.write('GET /v1/subscribe?after=0 HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  });
  let highest = 0;
  let done = false;
  const watch = (async () => {
    while (!done) {
      highest = Math.max(highest, await residentBytes(server.url));
      await sleep(20);
    }
  })();
  await Promise.all(Array.from({ length: READERS }, () => followFromStart(server.url, latest.version)));
  done = true;
  await watch;
  for (const socket of stuck) socket.destroy();

  const growth = highest - before;
  t.diagnostic(
    `resident memory: ${Math.round(before / MIB)} MiB before, ${Math.round(highest / MIB)} MiB at most`,
  );
  assert.ok(growth < GROWTH_BYTES_MAX, `it grew by ${Math.round(growth / MIB)} MiB`);
});
