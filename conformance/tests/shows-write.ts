import type { LogEvent } from '../model/log-view.js';
import { readOperation } from '../model/transaction.js';
import type { Bytes } from '../wire/bytes.js';

/** Whether `key` has `value` after an event; true where its operations have a shape that is not understood. */
export function showsWrite({ operations }: LogEvent, key: Bytes, value: Bytes): boolean {
  const shown = operations.map(readOperation);
  if (shown.includes('bad base64')) return false;
  if (shown.includes('not understood')) return true;
  const last = shown.findLast(
    (one) =>
      typeof one === 'object' &&
      (one.type === 'range_delete' ? one.begin <= key && key < one.end : one.key === key),
  );
  return typeof last === 'object' && last.type === 'write' && last.value === value;
}
