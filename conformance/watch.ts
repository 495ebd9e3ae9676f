import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a person wants next: everything again, only what failed, or to stop. */
export type Wish = 'all' | 'failed' | 'quit';

const POLL_MS = 250;

/** Who leads at `url`; undefined while nothing answers. */
async function leaderAt(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/v1/version`, { signal: AbortSignal.timeout(2_000) });
    const body = (await answer.json()) as { leader_id?: unknown };
    return String(body.leader_id);
  } catch {
    // Refused, reset, too slow or no JSON: to a watcher it is all the same, the server is not there.
    return undefined;
  }
}

/** Resolves once the server at `url` has been started anew: it was away and is back, or has another leader. */
async function restarted(url: string, signal: AbortSignal): Promise<void> {
  let known = await leaderAt(url);
  while (!signal.aborted) {
    await sleep(POLL_MS);
    const now = await leaderAt(url);
    if (now !== undefined && now !== known) return;
    known = now;
  }
}

/** Waits for a restart of the server, or for a key: Enter for all, f for the failed, q to quit. */
export async function nextWish(url: string): Promise<Wish> {
  const stop = new AbortController();
  const lines = createInterface({ input: process.stdin });
  try {
    return await Promise.race([
      restarted(url, stop.signal).then((): Wish => 'all'),
      new Promise<Wish>((resolve) => {
        lines.on('line', (line) => {
          const key = line.trim().toLowerCase();
          resolve(key === 'q' ? 'quit' : key === 'f' ? 'failed' : 'all');
        });
        lines.on('close', () => {
          if (process.stdin.readableEnded) resolve('quit');
        });
      }),
    ]);
  } finally {
    stop.abort();
    lines.close();
  }
}
