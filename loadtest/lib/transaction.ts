/** Keys and values are base64. */
export type Precondition =
  | { readonly type: 'point_read'; readonly key: string }
  | { readonly type: 'range_read'; readonly begin: string; readonly end: string };

export type Operation =
  | { readonly type: 'write'; readonly key: string; readonly value: string }
  | { readonly type: 'delete'; readonly key: string }
  | { readonly type: 'range_delete'; readonly begin: string; readonly end: string };

export interface Transaction {
  readonly preconditions: readonly Precondition[];
  readonly operations: readonly Operation[];
}

/** Reads keys and writes them: what most clients do. */
export function readModifyWrite(keys: readonly string[], value: string): Transaction {
  return {
    preconditions: keys.map((key) => ({ type: 'point_read', key })),
    operations: keys.map((key) => ({ type: 'write', key, value })),
  };
}
