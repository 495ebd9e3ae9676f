import { parentPort, workerData } from 'node:worker_threads';
import type { Case, CaseOptions } from './case.js';
import { runCase } from './run-case.js';

const { one, options } = workerData as { one: Case; options: CaseOptions };

parentPort?.postMessage(await runCase(one, options));
