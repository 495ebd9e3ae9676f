import { isObject, type JsonObject, parseJson } from '../../wire/json.js';
import type { Behaviour } from './behaviour.js';
import { type Base64Decoder, type Bytes, base64Decoder, encodeBase64 } from './bytes.js';
import { type KeyOrder, keyOrder } from './key-order.js';
import type { Limits } from './limits.js';
import type { CommitRequest, Operation, Precondition } from './record.js';
import { Refusal } from './refusal.js';
import { RequestIdRules } from './request-id-rules.js';

const malformed = (message: string): Refusal => new Refusal('malformed', message);

/** A commit request that turned out to be malformed after its first operations had been read. */
export class MalformedAtOperation extends Error {
  override readonly name = 'MalformedAtOperation';
  readonly before: CommitRequest;

  constructor(before: CommitRequest, refusal: Refusal) {
    super(refusal.message, { cause: refusal });
    this.before = before;
  }
}

/** Reads the bodies of commits. */
export class CommitBodyReader {
  readonly #behaviour: Behaviour;
  readonly #requestIds: RequestIdRules;
  readonly #decode: Base64Decoder;
  readonly #order: KeyOrder;

  constructor(behaviour: Behaviour, limits: Limits) {
    this.#behaviour = behaviour;
    this.#requestIds = new RequestIdRules(behaviour, limits);
    this.#decode = base64Decoder(behaviour);
    this.#order = keyOrder(behaviour);
  }

  /**
   * @param latest the version that stands in for a missing one where a faulty server lets it be missing
   * @throws Refusal
   */
  read(body: Buffer, latest: bigint): CommitRequest {
    const json = this.#object(body);
    const head = {
      requestId: this.#requestIds.check(json['request_id']),
      leaderId: this.#leaderId(json['leader_id']),
      preconditions: this.#preconditions(json['preconditions']),
    };
    const request = {
      ...head,
      readVersion: this.#readVersion(json['read_version'], head.preconditions, latest),
    };
    return { ...request, operations: this.#operations(json['operations'], request) };
  }

  #object(body: Buffer): JsonObject {
    const json = this.#json(body);
    if (isObject(json)) return json;
    if (Array.isArray(json) && this.#behaviour.has('array-of-one-commit-accepted') && isObject(json[0]))
      return json[0];
    if (this.#behaviour.has('not-an-object-answered-500'))
      throw new TypeError('cannot read request_id of this');
    throw malformed('the body is not an object');
  }

  #json(body: Buffer): unknown {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
      return parseJson(this.#behaviour.has('text-after-json-ignored') ? firstObject(text) : text);
    } catch (error) {
      if (this.#behaviour.has('not-json-answered-500')) throw error;
      throw malformed('the body is not JSON');
    }
  }

  #leaderId(value: unknown): string {
    if (value === undefined && this.#behaviour.has('leader-id-optional')) return '';
    if (typeof value === 'number' && this.#behaviour.has('leader-is-a-number')) return `${value}`;
    if (typeof value !== 'string') throw malformed('leader_id is not a string');
    return value;
  }

  #readVersion(value: unknown, preconditions: readonly Precondition[], latest: bigint): bigint {
    const needed = preconditions.some(({ version }) => version === undefined);
    if (value === undefined && this.#behaviour.has('read-version-optional')) return latest;
    if (value === undefined && !needed && this.#behaviour.has('read-version-optional-where-unused'))
      return latest;
    return this.#version(value, 'read_version');
  }

  #version(value: unknown, name: string): bigint {
    if (typeof value === 'string' && this.#behaviour.has('wrong-types-coerced')) {
      const digits = /^\d+/.exec(value)?.[0];
      if (digits !== undefined) return BigInt(digits);
    }
    if (typeof value === 'number' && value >= 0 && this.#behaviour.has('fractional-versions-cut'))
      return BigInt(Math.floor(value));
    const isInteger = typeof value === 'bigint' || Number.isSafeInteger(value);
    if (!isInteger || Number(value) < 0) throw malformed(`${name} is not a version`);
    return this.#behaviour.has('versions-read-as-doubles')
      ? BigInt(Number(value))
      : BigInt(value as number | bigint);
  }

  #preconditions(value: unknown): readonly Precondition[] {
    if (value === undefined && !this.#behaviour.has('preconditions-required')) return [];
    if (value === null && this.#behaviour.has('lenient-fields')) return [];
    if (!Array.isArray(value)) {
      if (value !== undefined && this.#behaviour.has('preconditions-of-wrong-type-ignored')) return [];
      throw malformed('preconditions is not an array');
    }
    return value.flatMap((one) => this.#precondition(one));
  }

  #precondition(json: unknown): Precondition[] {
    if (!isObject(json)) throw malformed('a precondition is not an object');
    const isAbsent =
      json['version'] === undefined || (json['version'] === null && this.#behaviour.has('lenient-fields'));
    const version = isAbsent ? undefined : this.#version(json['version'], 'version');
    switch (json['type']) {
      case 'point_read':
        return [{ type: 'point_read', version, key: this.#key(json['key']) }];
      case 'range_read':
        return [{ type: 'range_read', version, ...this.#range(json) }];
      default:
        if (this.#behaviour.has('unknown-preconditions-skipped')) return [];
        if (this.#behaviour.has('unknown-precondition-taken-as-point-read') && json['key'] !== undefined)
          return [{ type: 'point_read', version, key: this.#key(json['key']) }];
        throw malformed('a precondition has an unknown type');
    }
  }

  #operations(value: unknown, request: Omit<CommitRequest, 'operations'>): readonly Operation[] {
    if (value === undefined && this.#behaviour.has('operations-optional')) return [];
    if (!Array.isArray(value)) throw malformed('operations is not an array');
    if (value.length === 0 && this.#behaviour.has('empty-transaction-refused'))
      throw malformed('operations is empty');
    const operations: Operation[] = [];
    for (const one of value) {
      try {
        operations.push(...this.#operation(one));
      } catch (error) {
        const isPartial =
          this.#behaviour.has('operations-before-a-malformed-one-applied') && operations.length > 0;
        if (!isPartial || !(error instanceof Refusal)) throw error;
        throw new MalformedAtOperation({ ...request, operations }, error);
      }
    }
    return operations;
  }

  #operation(json: unknown): Operation[] {
    if (!isObject(json)) throw malformed('an operation is not an object');
    const type = this.#behaviour.has('operation-types-in-any-case')
      ? `${json['type']}`.toLowerCase()
      : json['type'];
    switch (type) {
      case 'write':
        return [{ type, key: this.#key(json['key']), value: this.#value(json['value']) }];
      case 'delete':
        return [{ type, key: this.#key(json['key']) }];
      case 'range_delete':
        return [{ type, ...this.#range(json, this.#behaviour.has('empty-range-delete-accepted')) }];
      default:
        if (this.#behaviour.has('unknown-operations-skipped')) return [];
        throw malformed('an operation has an unknown type');
    }
  }

  #key(value: unknown): Bytes {
    const key = this.#bytes(value, 'key');
    if (key === '' && this.#behaviour.has('empty-key-refused')) throw malformed('key is empty');
    return key;
  }

  #value(value: unknown): Bytes {
    if (value === undefined && this.#behaviour.has('missing-value-taken-as-empty')) return '';
    return this.#bytes(value, 'value', this.#behaviour.has('base64-of-values-unchecked'));
  }

  #bytes(value: unknown, name: string, unchecked = false): Bytes {
    const text = typeof value === 'number' && this.#behaviour.has('wrong-types-coerced') ? `${value}` : value;
    if (typeof text !== 'string') throw malformed(`${name} is not a string`);
    const bytes = unchecked ? Buffer.from(text, 'base64').toString('latin1') : this.#decode(text);
    if (bytes === undefined) throw malformed(`${name} is not base64`);
    return bytes;
  }

  #range(json: JsonObject, mayBeEmpty = false): { begin: Bytes; end: Bytes } {
    const unchecked = this.#behaviour.has('base64-of-bounds-unchecked');
    const begin = this.#bytes(json['begin'], 'begin', unchecked);
    const end = this.#bytes(json['end'], 'end', unchecked);
    const isBackward = this.#behaviour.pick((): boolean => this.#order(begin, end) >= 0, {
      'empty-range-accepted': () => this.#order(begin, end) > 0,
      'reversed-range-accepted': () => begin === end,
      'range-bounds-compared-as-base64-text': () => encodeBase64(begin) >= encodeBase64(end),
      'range-bounds-not-compared': () => false,
    });
    if (isBackward() && !mayBeEmpty) throw malformed('end is not greater than begin');
    return { begin, end };
  }
}

/** The text up to the brace that closes the first object. */
function firstObject(text: string): string {
  for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      const candidate = text.slice(0, end + 1);
      JSON.parse(candidate);
      return candidate;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return text;
}
