// Runs the conformance suite against this server, freshly started: with small bounds and every hook, and then
// quickly as most people start it. `node scripts/own-conformance.mjs [options of the suite]` does the first alone.
// It is its own --restart-cmd: `node scripts/own-conformance.mjs restart FOLDER`.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../dist/bench/lib/program.js';

const script = fileURLToPath(import.meta.url);
const server = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
const suite = fileURLToPath(new URL('../dist/conformance/main.js', import.meta.url));

// Small, so that a run meets every bound; what the hooks below tell the suite.
const KEEPS = 1_000;
const MAX_COMMIT_BYTES = 262_144;
const KEEPALIVE_MS = 1_000;
const BUFFER_BYTES = 1_048_576;
const SMALL_BOUNDS = [
  ...['--retain-versions', KEEPS, '--request-id-retain-ms', 0, '--request-id-retain-versions', 0],
  ...['--segment-bytes', 16_384, '--truncate-interval-ms', 100],
  ...['--max-commit-bytes', MAX_COMMIT_BYTES, '--keepalive-ms', KEEPALIVE_MS],
  ...['--subscriber-buffer-bytes', BUFFER_BYTES, '--log-level', 'warn'],
].map(String);
const HOOKS = [
  ...['--truncation-keeps', KEEPS, '--max-commit-bytes', MAX_COMMIT_BYTES, '--min-request-id-length', 20],
  ...['--keepalive-timeout', KEEPALIVE_MS, '--subscriber-buffer-bytes', BUFFER_BYTES],
].map(String);

const read = (folder) => JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8'));

/** Starts the server of `folder` in the background, and resolves once it serves. */
async function start(folder, port, settings) {
  const log = openSync(join(folder, 'server.log'), 'a');
  const args = [server, '--port', String(port), '--data-dir', join(folder, 'data'), ...settings];
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  writeFileSync(join(folder, 'server.json'), JSON.stringify({ pid: child.pid, port, settings }));
  let ended;
  child.on('exit', (code) => {
    ended = code;
  });
  while (ended === undefined) {
    const answer = await fetch(`http://127.0.0.1:${port}/ok`).catch(() => undefined);
    if (answer?.ok) {
      child.unref();
      return;
    }
    await sleep(50);
  }
  throw new Error(
    `the server ended with exit code ${ended}: ${readFileSync(join(folder, 'server.log'), 'utf8')}`,
  );
}

async function kill(folder) {
  const { pid } = read(folder);
  process.kill(pid, 'SIGKILL');
  // Its port and the lock on its data are free once it is gone.
  for (let alive = true; alive; await sleep(10)) {
    try {
      process.kill(pid, 0);
    } catch {
      alive = false;
    }
  }
}

/** @returns the exit code of the suite */
async function run(settings, options) {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-conformance-'));
  const port = await freePort();
  await start(folder, port, settings);
  try {
    const restart = ['--restart-cmd', `"${process.execPath}" "${script}" restart "${folder}"`];
    const args = [suite, '--url', `http://127.0.0.1:${port}`, ...restart, ...options];
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    return await new Promise((resolve) => {
      child.on('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    await kill(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

const [mode, folder] = process.argv.slice(2);
if (mode === 'restart') {
  const { port, settings } = read(folder);
  await kill(folder);
  await start(folder, port, settings);
} else {
  const options = process.argv.slice(2);
  process.exitCode = await run(SMALL_BOUNDS, [...HOOKS, ...options]);
  if (process.exitCode === 0 && options.length === 0)
    process.exitCode = await run(['--log-level', 'warn'], ['--quick']);
}
