import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds } from '../../lib/cpu-time.js';
import type { RunningContestant } from '../contestant.js';
import { KeyNumbers } from '../workload.js';
import { Connection } from './connection.js';
import type { ConnectionShape, LoadShape } from './shape.js';
import { Tally } from './tally.js';
import { WaitingLine } from './waiting-line.js';

const DRAIN_MS_MAX = 10_000;

export interface Measured {
  readonly commitsPerSecond: number;
  /** From the moment the client had the transaction to its answer, waiting for a free connection included. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the server, for 1,000 commits; NaN where it cannot be known. */
  readonly cpuSecondsPer1000: number;
  /** Transactions whose precondition did not hold, for each that was committed. */
  readonly notCommittedShare: number;
  /** Part of the time for which the event loop of the load generator had work, 0 to 1. */
  readonly generatorBusy: number;
}

export interface Timing {
  readonly warmupMs: number;
  readonly measuredMs: number;
}

/**
 * Runs the clients, first unmeasured, then measured, and lets what is under way come to its end.
 * @throws when the server does not answer as it should
 */
export async function measure(
  contestant: RunningContestant,
  load: LoadShape,
  shape: ConnectionShape,
  { warmupMs, measuredMs }: Timing,
): Promise<Measured> {
  const tally = new Tally();
  const line = new WaitingLine(load.clients);
  const keys = new KeyNumbers(1 + Math.floor(Math.random() * 0x7fff_ffff));
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  const { port, knowledge } = contestant;
  const connections: Connection[] = [];
  try {
    for (let index = 0; index < shape.connections; index += 1) {
      const protocol = contestant.protocol();
      const options = { port, protocol, depth: shape.depth, knowledge, keys, line, tally, onFailure: fail };
      connections.push(await Connection.open(options));
    }
    for (let client = 0; client < load.clients; client += 1) line.join(performance.now());
    for (const connection of connections) connection.start();
    await Promise.race([sleep(warmupMs), failed]);

    const cpuBefore = cpuSeconds(contestant.pid);
    const loopBefore = performance.eventLoopUtilization();
    const startedMs = performance.now();
    tally.open();
    await Promise.race([sleep(measuredMs), failed]);
    tally.close();
    const seconds = (performance.now() - startedMs) / 1000;
    const generatorBusy = performance.eventLoopUtilization(loopBefore).utilization;
    const cpu = cpuSeconds(contestant.pid) - cpuBefore;

    for (const connection of connections) connection.stop();
    await Promise.race([drained(connections), failed]);
    const { committed, notCommitted } = tally;
    return {
      commitsPerSecond: committed / seconds,
      p50Ms: tally.percentileMs(50),
      p99Ms: tally.percentileMs(99),
      cpuSecondsPer1000: (cpu / committed) * 1000,
      notCommittedShare: notCommitted / Math.max(1, committed),
      generatorBusy,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function drained(connections: readonly Connection[]): Promise<void> {
  const deadlineMs = performance.now() + DRAIN_MS_MAX;
  while (!connections.every((connection) => connection.isIdle)) {
    if (performance.now() > deadlineMs) throw new Error('requests are left without an answer');
    await sleep(5);
  }
}
