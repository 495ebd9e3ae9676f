import type { Behaviour } from './behaviour.js';
import type { Bytes } from './bytes.js';
import type { KeySpace } from './key-space.js';
import type { Operation } from './record.js';

/** What one operation changed: a key, or all keys of a range. */
export type Change =
  | { readonly kind: 'created' | 'overwritten' | 'deleted'; readonly key: Bytes }
  | { readonly kind: 'range-deleted'; readonly begin: Bytes; readonly end: Bytes };

function changesOfOperation(operation: Operation, before: KeySpace, behaviour: Behaviour): Change[] {
  if (operation.type === 'range_delete') {
    const { begin, end } = operation;
    return behaviour.pick<() => Change[]>(() => [{ kind: 'range-deleted', begin, end }], {
      'range-delete-not-recorded': () => [],
      'range-delete-recorded-at-its-begin': () => [{ kind: 'deleted', key: begin }],
      'no-op-writes-change-nothing': () => before.within(begin, end).map((key) => ({ kind: 'deleted', key })),
    })();
  }
  const { key } = operation;
  const old = before.content.get(key);
  if (operation.type === 'delete')
    return (old === undefined && behaviour.has('no-op-writes-change-nothing')) ||
      behaviour.has('delete-not-recorded')
      ? []
      : [{ kind: 'deleted', key }];
  const isSame = behaviour.pick(() => false, {
    'no-op-writes-change-nothing': () => old === operation.value,
    'change-noticed-by-length': () => old?.length === operation.value.length,
    'overwrites-not-recorded': () => old !== undefined,
    'creations-not-recorded': () => old === undefined,
    'large-writes-not-recorded': () => operation.value.length > 1024,
  });
  return isSame() ? [] : [{ kind: old === undefined ? 'created' : 'overwritten', key }];
}

/** Applies `operations` to `keys`, one after the other, and tells what they changed. */
export function applyAll(operations: readonly Operation[], keys: KeySpace, behaviour: Behaviour): Change[] {
  const changes = operations.map((operation) => {
    const changed = changesOfOperation(operation, keys, behaviour);
    keys.apply(operation);
    return changed;
  });
  return behaviour
    .pick(changes, {
      'only-last-operation-recorded': changes.slice(-1),
      'only-first-operation-recorded': changes.slice(0, 1),
      'only-16-operations-recorded': changes.slice(0, 16),
    })
    .flat();
}
