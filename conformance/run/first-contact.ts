import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api, type Shared } from '../api/api.js';
import { write } from '../model/transaction.js';
import { NoAnswer } from '../wire/http.js';
import { Transcript } from '../wire/transcript.js';
import { Incomplete, Violation } from './violation.js';

/** The server did not answer at all, or not as one that is available, when the run began. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export interface Start {
  readonly version: bigint;
  readonly leaderId: string;
}

/** Waits for the first answer; a wrong one is left to the tests. @throws Unreachable */
export async function firstContact(shared: Shared): Promise<Start> {
  try {
    return await new Api(shared, new Transcript(), 'first contact').version();
  } catch (error) {
    if (error instanceof Violation) return { version: 0n, leaderId: 'unknown' };
    if (error instanceof NoAnswer || error instanceof Incomplete) throw new Unreachable(error.message);
    throw error;
  }
}

const SAMPLES = 3;
const ATTEMPTS = 10;

/**
 * How long one commit takes when nothing else is under way, in milliseconds: the shortest of a few that
 * committed; 0 where none did.
 * @param key what it writes
 */
export async function measurePace(shared: Shared, start: Start, key: string): Promise<number> {
  const api = new Api(shared, new Transcript(), 'pace');
  const samples: number[] = [];
  let { leaderId, version: readVersion } = start;
  for (let attempt = 0; attempt < ATTEMPTS && samples.length < SAMPLES; attempt += 1) {
    const began = performance.now();
    const operations = [write(key, `${attempt}`)];
    try {
      const answer = await api.commit({
        leaderId,
        readVersion,
        requestId: randomUUID().repeat(2),
        operations,
      });
      if (answer.kind === 'committed') samples.push(performance.now() - began);
      else if (answer.kind === 'not_committed') ({ leaderId, version: readVersion } = answer);
      else await sleep(50);
    } catch (error) {
      // What is wrong with the answer is for the tests to say.
      if (!(error instanceof Violation)) throw error;
    }
  }
  return samples.length === 0 ? 0 : Math.min(...samples);
}

/** Whether the log, which holds a transaction of the run by now, held none at `start`. */
export async function hadNothing(shared: Shared, start: Start): Promise<boolean> {
  try {
    const stream = await new Api(shared, new Transcript(), 'beginning').subscribe({ after: 0n });
    if ('refused' in stream) return false;
    const item = await stream.next('the first transaction of the log', 'STREAM-AFTER-ZERO');
    stream.close();
    return item.kind === 'transaction' && item.event.version > start.version;
  } catch (error) {
    // What is wrong with the stream is for the tests to say.
    if (error instanceof Violation || error instanceof NoAnswer || error instanceof Incomplete) return false;
    throw error;
  }
}
