import type { Behaviour } from './behaviour.js';
import type { Disk } from './disk.js';
import type { LogRecord } from './record.js';

const withOperations =
  (change: (record: LogRecord) => LogRecord['operations']) =>
  (record: LogRecord): LogRecord => ({ ...record, operations: change(record) });

/** Reads the disk of a server that was killed. A correct server finds all that was durable, just as it was. */
export function recover(disk: Disk, behaviour: Behaviour): void {
  const { records } = disk;
  disk.records = behaviour.pick(() => records, {
    'synced-now-and-then': () => records.filter(({ version }) => version <= disk.syncedThrough),
    'recovery-drops-last-record': () => records.slice(0, -1),
    'recovery-drops-empty-transactions': () => records.filter(({ operations }) => operations.length > 0),
    'recovery-loses-empty-values': () =>
      records.map(
        withOperations(({ operations }) =>
          operations.filter((one) => one.type !== 'write' || one.value !== ''),
        ),
      ),
    'recovery-keeps-first-operation': () =>
      records.map(withOperations(({ operations }) => operations.slice(0, 1))),
    'recovery-keeps-last-operation-of-each-key': () =>
      records.map(
        withOperations(({ operations }) => [
          ...new Map(
            operations.map((one) => [one.type === 'range_delete' ? `to ${one.end}` : `at ${one.key}`, one]),
          ).values(),
        ]),
      ),
    'recovery-loses-range-deletes': () =>
      records.map(
        withOperations(({ operations }) => operations.filter(({ type }) => type !== 'range_delete')),
      ),
    'recovery-loses-large-transactions': () =>
      records.filter(({ operations }) => JSON.stringify(operations).length < 20_000),
    'recovery-chains-by-counting': () =>
      records.map((record) => ({ ...record, prevVersion: record.version - 1n })),
  })();
  if (behaviour.has('start-truncates-before-policies-are-read')) disk.truncate(disk.records.length - 1);
  if (behaviour.has('policies-in-memory-only')) disk.policies.clear();
  if (behaviour.has('policy-updates-in-memory-only'))
    for (const id of disk.policies.keys()) disk.policies.set(id, disk.policiesAsCreated.get(id)!);
  if (behaviour.has('policy-deletions-in-memory-only'))
    for (const [id, version] of disk.policiesDeleted) disk.policies.set(id, version);
}
