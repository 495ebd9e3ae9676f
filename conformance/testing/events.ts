import type { LogEvent } from '../model/log-view.js';
import { type Operation, operationJson } from '../model/transaction.js';

/** An event of a log; its `operations` may be of any shape. */
export const eventAt = (version: bigint, prevVersion: bigint, rest: Partial<LogEvent> = {}): LogEvent => ({
  version,
  prevVersion,
  requestId: `request ${version}`,
  timestamp: '2026-01-31T23:59:59.123Z',
  leaderId: 'A',
  operations: [],
  ...rest,
});

/** Operations as a server shows them that repeats what was sent. */
export const asShown = (operations: readonly Operation[]): readonly unknown[] =>
  operations.map(operationJson);
