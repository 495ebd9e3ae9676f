import type { TransactionPacker } from '../core/transaction-packer.js';
import { decodeCanonicalBase64 } from './base64.js';
import { FAULTS_MAX, type Fault, malformed, Problem } from './problem.js';

/** A precondition with its default filled in, as it is repeated in `conflicts`. */
export type Precondition =
  | { readonly type: 'point_read'; readonly version: number; readonly key: string }
  | { readonly type: 'range_read'; readonly version: number; readonly begin: string; readonly end: string };

export interface ParsedCommit {
  /** Undefined when the client left the choice to the server. */
  readonly chosenRequestId: string | undefined;
  readonly requestId: string;
  readonly leaderId: string;
  readonly readVersion: number;
  readonly highestVersion: number;
  readonly preconditions: readonly Precondition[];
  /** The packed form that the leader takes. */
  readonly transaction: Uint8Array;
}

export interface CommitParserOptions {
  readonly packer: TransactionPacker;
  /** Unicode code points. */
  readonly minRequestIdLength: number;
  readonly newRequestId: () => string;
}

/** The longest request ID, in bytes of UTF-8. */
export const REQUEST_ID_BYTES_MAX = 256;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type JsonObject = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const VERSION_RULE = 'must be an integer from 0 to 9007199254740991';
const BASE64_RULE = 'must be standard base64 with padding (RFC 4648 section 4, canonical form)';

/**
 * Reads the body of `POST /v1/commit` (specification 2.2).
 *
 * @throws Problem `malformed-request` with a pointer to each fault.
 */
export function parseCommit(body: Uint8Array, options: CommitParserOptions): ParsedCommit {
  return new CommitParser(options).parse(parseJson(body));
}

/** @throws Problem `malformed-request` when the bytes are not JSON in UTF-8. */
function parseJson(body: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw malformed([{ pointer: '', detail: 'is not valid UTF-8' }]);
  }
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's excerpt of the text: values do not belong into answers and logs.
    throw malformed([{ pointer: '', detail: 'is not valid JSON' }]);
  }
}

/** Whether a text has at least `count` code points; each takes one or two units of UTF-16. */
function hasCodePoints(text: string, count: number): boolean {
  return text.length >= 2 * count || (text.length >= count && [...text].length >= count);
}

class CommitParser {
  readonly #options: CommitParserOptions;
  readonly #packer: TransactionPacker;
  readonly #faults: Fault[] = [];

  constructor(options: CommitParserOptions) {
    this.#options = options;
    this.#packer = options.packer;
  }

  parse(body: unknown): ParsedCommit {
    this.#packer.reset();
    if (!isObject(body)) throw malformed([{ pointer: '', detail: 'must be a JSON object' }]);
    const chosenRequestId = this.#requestId(body['request_id']);
    const leaderId = this.#leaderId(body['leader_id']);
    const readVersion = this.#version(body['read_version'], '/read_version');
    const preconditions = this.#preconditions(body['preconditions'], readVersion);
    this.#operations(body['operations']);
    if (this.#faults.length > 0) throw malformed(this.#faults);
    const requestId = chosenRequestId ?? this.#options.newRequestId();
    return {
      chosenRequestId,
      requestId,
      leaderId,
      readVersion,
      highestVersion: preconditions.reduce((highest, { version }) => Math.max(highest, version), readVersion),
      preconditions,
      transaction: this.#packer.finish(requestId),
    };
  }

  /** Notes a fault; enough of them end the reading, so that a hostile body costs no more than an honest one. */
  #fault(pointer: string, detail: string): undefined {
    this.#faults.push({ pointer, detail });
    if (this.#faults.length >= FAULTS_MAX) throw malformed(this.#faults);
    return undefined;
  }

  #requestId(value: unknown): string | undefined {
    if (value === undefined) return undefined;
    const min = this.#options.minRequestIdLength;
    if (typeof value !== 'string') this.#fault('/request_id', 'must be a string');
    else if (!value.isWellFormed())
      this.#fault('/request_id', 'must be well-formed Unicode: it holds a lone surrogate');
    else if (Buffer.byteLength(value) > REQUEST_ID_BYTES_MAX) {
      this.#fault('/request_id', `must be at most ${REQUEST_ID_BYTES_MAX} bytes of UTF-8`);
    } else if (!hasCodePoints(value, min))
      this.#fault('/request_id', `must be at least ${min} characters long`);
    else return value;
    return undefined;
  }

  #leaderId(value: unknown): string {
    if (typeof value === 'string') return value;
    this.#fault('/leader_id', value === undefined ? 'is required' : 'must be a string');
    return '';
  }

  #version(value: unknown, pointer: string): number {
    if (isVersion(value)) return value === 0 ? 0 : value;
    this.#fault(pointer, value === undefined ? 'is required' : VERSION_RULE);
    return 0;
  }

  #preconditions(value: unknown, readVersion: number): Precondition[] {
    if (value === undefined) return [];
    return this.#array(value, '/preconditions').flatMap(
      (item, index) => this.#precondition(item, `/preconditions/${index}`, readVersion) ?? [],
    );
  }

  #precondition(item: unknown, pointer: string, readVersion: number): Precondition | undefined {
    if (!isObject(item)) return this.#fault(pointer, 'must be an object');
    const { type } = item;
    const version =
      item['version'] === undefined ? readVersion : this.#version(item['version'], `${pointer}/version`);
    if (type === 'range_read') {
      const range = this.#range(item, pointer);
      if (range === undefined) return undefined;
      this.#packer.rangeRead(version, range.begin, range.end);
      return { type, version, begin: item['begin'] as string, end: item['end'] as string };
    }
    if (type === 'point_read') {
      this.#packer.pointRead(version, this.#bytes(item['key'], `${pointer}/key`));
      return { type, version, key: item['key'] as string };
    }
    return this.#unknownType(type, pointer, ['point_read', 'range_read']);
  }

  #operations(value: unknown): void {
    this.#array(value, '/operations').forEach((item, index) => {
      this.#operation(item, `/operations/${index}`);
    });
  }

  #operation(item: unknown, pointer: string): undefined {
    if (!isObject(item)) return this.#fault(pointer, 'must be an object');
    const { type } = item;
    if (type === 'range_delete') {
      const range = this.#range(item, pointer);
      if (range !== undefined) this.#packer.rangeDelete(range.begin, range.end);
      return undefined;
    }
    if (type !== 'write' && type !== 'delete') {
      return this.#unknownType(type, pointer, ['write', 'delete', 'range_delete']);
    }
    const key = this.#bytes(item['key'], `${pointer}/key`);
    if (type === 'write') this.#packer.write(key, this.#bytes(item['value'], `${pointer}/value`));
    else this.#packer.delete(key);
    return undefined;
  }

  #unknownType(type: unknown, pointer: string, known: readonly string[]): undefined {
    return this.#fault(
      `${pointer}/type`,
      type === undefined ? 'is required' : `must be one of ${known.join(', ')}`,
    );
  }

  /** A half-open range that is not empty, or a fault. */
  #range(fields: JsonObject, pointer: string): { begin: Uint8Array; end: Uint8Array } | undefined {
    const faultsBefore = this.#faults.length;
    const begin = this.#bytes(fields['begin'], `${pointer}/begin`);
    const end = this.#bytes(fields['end'], `${pointer}/end`);
    if (this.#faults.length > faultsBefore) return undefined;
    if (Buffer.compare(begin, end) < 0) return { begin, end };
    return this.#fault(`${pointer}/end`, 'must be greater than begin');
  }

  #bytes(value: unknown, pointer: string): Uint8Array {
    const bytes = typeof value === 'string' ? decodeCanonicalBase64(value) : undefined;
    if (bytes !== undefined) return bytes;
    this.#fault(pointer, value === undefined ? 'is required' : BASE64_RULE);
    return new Uint8Array();
  }

  #array(value: unknown, pointer: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.#fault(pointer, value === undefined ? 'is required' : 'must be an array');
    return [];
  }
}

/** The problem of a version above everything accepted, with a pointer to each such version. */
export function versionAhead(commit: ParsedCommit, acceptedVersion: number): Problem {
  const detail = `must not be above ${acceptedVersion}, the latest version of this term`;
  const faults = [
    { pointer: '/read_version', version: commit.readVersion },
    ...commit.preconditions.map(({ version }, index) => ({
      pointer: `/preconditions/${index}/version`,
      version,
    })),
  ]
    .filter(({ version }) => version > acceptedVersion)
    .map(({ pointer }) => ({ pointer, detail }));
  return new Problem('version-ahead-of-log', `${faults[0]?.pointer}: ${detail}`, { faults });
}
