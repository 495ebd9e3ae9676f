import { HeadwaterClient } from '../../src/client/index.js';
import type { AcknowledgedCommits } from './acknowledged-commits.js';

/** Without an event for so long, the stream is taken to have stopped ahead of its end. */
const SILENCE_MS_MAX = 30_000;

export interface StreamCheck {
  /** Acknowledged commits that are in the stream, at whatever version. */
  readonly found: number;
  /** What is wrong, a sentence each. */
  readonly findings: readonly string[];
}

/**
 * Looks for every acknowledged commit in the stream of durable transactions, up to the version that is the latest now.
 * @param after a version from before the first of them
 * @throws when the stream cannot be read
 */
export async function checkStream(
  url: string,
  after: number,
  acknowledged: AcknowledgedCommits,
): Promise<StreamCheck> {
  const client = new HeadwaterClient({ url });
  const { version: latest } = await client.version();
  const findings = acknowledged.repeated.map((requestId) => `${requestId}: was acknowledged more than once`);
  const found = new Set<string>();
  const silence = new AbortController();
  const stream = client.subscribe({ after, signal: silence.signal });
  for (let reached = after; reached < latest; ) {
    const timer = setTimeout(() => {
      silence.abort(new Error(`the stream stopped at version ${reached}, though ${latest} is committed`));
    }, SILENCE_MS_MAX);
    const { value: event } = await stream.next().finally(() => clearTimeout(timer));
    if (event === undefined) throw new Error(`the stream ended at version ${reached}`);
    reached = event.version;
    const promised = acknowledged.versionOf(event.requestId);
    if (promised === undefined) continue;
    if (found.has(event.requestId)) findings.push(`${event.requestId}: is in the stream more than once`);
    found.add(event.requestId);
    if (promised !== event.version) {
      findings.push(
        `${event.requestId}: was acknowledged at version ${promised}, is in the stream at ${event.version}`,
      );
    }
  }
  await stream.return();
  for (const [requestId, version] of acknowledged) {
    if (!found.has(requestId))
      findings.push(`${requestId}: was acknowledged at version ${version}, is missing`);
  }
  return { found: found.size, findings };
}
