import type { Read, Transaction, Write } from './conflict-model.js';

export const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
export const point = (version: number, key: string): Read => ({ kind: 'point', version, key: ascii(key) });
export const range = (version: number, begin: string, end: string): Read => {
  return { kind: 'range', version, begin: ascii(begin), end: ascii(end) };
};
export const write = (key: string): Write => ({ kind: 'write', key: ascii(key), value: ascii('value') });
export const remove = (key: string): Write => ({ kind: 'delete', key: ascii(key) });
export const removeRange = (begin: string, end: string): Write => {
  return { kind: 'rangeDelete', begin: ascii(begin), end: ascii(end) };
};
export const transaction = (reads: readonly Read[], writes: readonly Write[] = []): Transaction => ({
  reads,
  writes,
});
