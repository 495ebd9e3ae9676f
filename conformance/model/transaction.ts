import { type Bytes, fromBase64, show, toBase64 } from '../wire/bytes.js';
import { isObject } from '../wire/json.js';

/** Without `version` it is checked at the read_version of its commit. */
export type Precondition =
  | { readonly type: 'point_read'; readonly key: Bytes; readonly version?: bigint }
  | { readonly type: 'range_read'; readonly begin: Bytes; readonly end: Bytes; readonly version?: bigint };

export type Operation =
  | { readonly type: 'write'; readonly key: Bytes; readonly value: Bytes }
  | { readonly type: 'delete'; readonly key: Bytes }
  | { readonly type: 'range_delete'; readonly begin: Bytes; readonly end: Bytes };

export interface Transaction {
  readonly requestId?: string | undefined;
  readonly leaderId: string;
  readonly readVersion: bigint;
  readonly preconditions?: readonly Precondition[];
  readonly operations: readonly Operation[];
}

export const pointRead = (key: Bytes, version?: bigint): Precondition =>
  version === undefined ? { type: 'point_read', key } : { type: 'point_read', key, version };

export const rangeRead = (begin: Bytes, end: Bytes, version?: bigint): Precondition =>
  version === undefined ? { type: 'range_read', begin, end } : { type: 'range_read', begin, end, version };

export const write = (key: Bytes, value: Bytes): Operation => ({ type: 'write', key, value });

export const remove = (key: Bytes): Operation => ({ type: 'delete', key });

export const removeRange = (begin: Bytes, end: Bytes): Operation => ({ type: 'range_delete', begin, end });

/** A precondition as it is sent (section 2.2). */
export function preconditionJson(precondition: Precondition): Record<string, unknown> {
  const version = precondition.version === undefined ? {} : { version: precondition.version };
  return precondition.type === 'point_read'
    ? { type: precondition.type, ...version, key: toBase64(precondition.key) }
    : {
        type: precondition.type,
        ...version,
        begin: toBase64(precondition.begin),
        end: toBase64(precondition.end),
      };
}

/** An operation as it is sent (section 2.2). */
export function operationJson(operation: Operation): Record<string, unknown> {
  switch (operation.type) {
    case 'write':
      return { type: 'write', key: toBase64(operation.key), value: toBase64(operation.value) };
    case 'delete':
      return { type: 'delete', key: toBase64(operation.key) };
    case 'range_delete':
      return { type: 'range_delete', begin: toBase64(operation.begin), end: toBase64(operation.end) };
  }
}

/** The body of a commit request (section 2.2). */
export function transactionJson(transaction: Transaction): Record<string, unknown> {
  return {
    ...(transaction.requestId === undefined ? {} : { request_id: transaction.requestId }),
    leader_id: transaction.leaderId,
    read_version: transaction.readVersion,
    ...(transaction.preconditions === undefined
      ? {}
      : { preconditions: transaction.preconditions.map(preconditionJson) }),
    operations: transaction.operations.map(operationJson),
  };
}

/** An element of `operations` of an event; `not understood` where it has a shape of the server's own. */
export function readOperation(json: unknown): Operation | 'not understood' | 'bad base64' {
  if (!isObject(json)) return 'not understood';
  const { type, key, value, begin, end } = json;
  const texts =
    type === 'write' ? [key, value] : type === 'delete' ? [key] : type === 'range_delete' ? [begin, end] : [];
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string')) return 'not understood';
  const [first, second] = texts.map(fromBase64);
  if (first === undefined || (texts.length === 2 && second === undefined)) return 'bad base64';
  if (type === 'write') return write(first, second!);
  return type === 'delete' ? remove(first) : removeRange(first, second!);
}

export const effectiveVersion = (precondition: Precondition, readVersion: bigint): bigint =>
  precondition.version ?? readVersion;

export function showPrecondition(precondition: Precondition, readVersion: bigint): string {
  const at = `at version ${effectiveVersion(precondition, readVersion)}`;
  return precondition.type === 'point_read'
    ? `point_read ${show(precondition.key)} ${at}`
    : `range_read [${show(precondition.begin)}, ${show(precondition.end)}) ${at}`;
}

export function showOperation(operation: Operation): string {
  switch (operation.type) {
    case 'write':
      return `write ${show(operation.key)} = ${show(operation.value, 16)}`;
    case 'delete':
      return `delete ${show(operation.key)}`;
    case 'range_delete':
      return `range_delete [${show(operation.begin)}, ${show(operation.end)})`;
  }
}

/** Ids and versions left out: what a reader wants to see of a transaction in one line. */
export function showTransaction(transaction: Transaction): string {
  const reads = (transaction.preconditions ?? []).map((one) =>
    showPrecondition(one, transaction.readVersion),
  );
  const changes = transaction.operations.map(showOperation);
  const few = (texts: string[]): string =>
    texts.length > 4 ? `${texts.slice(0, 4).join(', ')}, ... (${texts.length})` : texts.join(', ');
  return `${reads.length > 0 ? `if ${few(reads)}: ` : ''}${few(changes) || 'nothing'}`;
}
