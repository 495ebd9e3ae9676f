import { Worker } from 'node:worker_threads';
import type { Case, CaseOptions, CaseResult } from './case.js';

const LONGEST_MS = 900_000;

/**
 * Runs a case in a thread of its own, so that a server that hangs or crashes spoils no other.
 * @throws Error where the suite itself broke down
 */
export function runIsolated(one: Case, options: CaseOptions): Promise<CaseResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./case-worker.js', import.meta.url), { workerData: { one, options } });
    const timer = setTimeout(() => {
      reject(new Error(`no end after ${LONGEST_MS / 1000} s`));
      void worker.terminate();
    }, LONGEST_MS);
    worker.once('message', (result: CaseResult) => {
      resolve(result);
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(new Error('the thread ended without a result'));
    });
  });
}
