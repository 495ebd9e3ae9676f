import { commitAnswerFaults } from './faults/commit-answer.js';
import { commitRequestFaults } from './faults/commit-request.js';
import { conflictFaults } from './faults/conflicts.js';
import { eventFaults } from './faults/event.js';
import type { Fault } from './faults/fault.js';
import { logFaults } from './faults/log.js';
import { retentionFaults } from './faults/retention.js';
import { serviceFaults } from './faults/service.js';
import { statusFaults } from './faults/status.js';
import { streamFaults } from './faults/stream.js';
import { versionFaults } from './faults/version.js';

export type { Fault } from './faults/fault.js';

const ALL = [
  ...logFaults,
  ...commitRequestFaults,
  ...conflictFaults,
  ...commitAnswerFaults,
  ...versionFaults,
  ...statusFaults,
  ...streamFaults,
  ...eventFaults,
  ...retentionFaults,
  ...serviceFaults,
] as const;

export type FaultName = (typeof ALL)[number]['name'];

/** Bugs that servers might have, each with what the suite has to find broken. */
export const FAULTS: readonly (Fault & { readonly name: FaultName })[] = ALL;

/** Requirements that no fault is made for, and why. */
export const WITHOUT_FAULT: Readonly<Record<string, string>> = {};
