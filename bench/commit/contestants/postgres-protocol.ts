import type { OnAnswer, Protocol } from '../load/protocol.js';
import { Template } from '../load/template.js';
import { KEY_BYTES, RAW_KEYS, VALUE } from '../workload.js';

const STATEMENT = 'commit_one';
const PROTOCOL_3_0 = 196_608;
const BYTEA = 17;
const BIGINT = 20;
const BINARY = 1;
const HEAD_BYTES = 5;

const DATA_ROW = 'D'.charCodeAt(0);
const ERROR_RESPONSE = 'E'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);

/** One prepared statement, called in binary: Bind, Execute, Sync (protocol 3.0, trust authentication). */
export class PostgresProtocol implements Protocol {
  readonly requestBytes: number;
  readonly greeting: Buffer;
  readonly #template: Template;
  /** The answers to the greeting: to the start-up, and to the preparation. */
  #greetings = 2;
  #version = 0n;

  constructor(user: string, database: string) {
    const startup = Buffer.concat([int32(PROTOCOL_3_0), text('user', user, 'database', database, '')]);
    this.greeting = Buffer.concat([
      int32(startup.length + 4),
      startup,
      message(
        'P',
        text(STATEMENT, 'select commit_one($1, $2, $3)'),
        int16(3),
        int32(BYTEA),
        int32(BIGINT),
        int32(BYTEA),
      ),
      message('S'),
    ]);
    const bind = Template.of(
      // The unnamed portal; all parameters in binary.
      text('', STATEMENT),
      Buffer.concat([int16(1), int16(BINARY), int16(3)]),
      int32(KEY_BYTES),
      KEY_BYTES,
      int32(8),
      8,
      Buffer.concat([int32(VALUE.length), VALUE]),
      Buffer.concat([int16(1), int16(BINARY)]),
    );
    const execute = Buffer.concat([message('E', text(''), int32(0)), message('S')]);
    this.#template = bind.between(Buffer.concat([Buffer.from('B'), int32(bind.bytes.length + 4)]), execute);
    this.requestBytes = this.#template.bytes.length;
  }

  encode(buffer: Buffer, offset: number, key: number, version: number): void {
    const template = this.#template;
    template.copy(buffer, offset);
    RAW_KEYS.copy(buffer, template.at(offset, 0), key * KEY_BYTES, (key + 1) * KEY_BYTES);
    buffer.writeBigInt64BE(BigInt(version), template.at(offset, 1));
  }

  decode(bytes: Buffer, onAnswer: OnAnswer): number {
    let taken = 0;
    while (taken + HEAD_BYTES <= bytes.length) {
      const end = taken + 1 + bytes.readUInt32BE(taken + 1);
      if (end > bytes.length) break;
      const type = bytes[taken];
      if (type === ERROR_RESPONSE) {
        throw new Error(`PostgreSQL answers ${bytes.toString('utf8', taken + HEAD_BYTES, end)}`);
      }
      // One column: its count, its length, its eight bytes.
      if (type === DATA_ROW) this.#version = bytes.readBigInt64BE(taken + HEAD_BYTES + 6);
      if (type === READY_FOR_QUERY) this.#ready(onAnswer);
      taken = end;
    }
    return taken;
  }

  #ready(onAnswer: OnAnswer): void {
    if (this.#greetings > 0) {
      this.#greetings -= 1;
      return;
    }
    const isCommitted = this.#version > 0n;
    onAnswer(isCommitted, Number(isCommitted ? this.#version : -this.#version));
  }
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Strings, each closed by a zero byte. */
function text(...strings: readonly string[]): Buffer {
  return Buffer.from(strings.map((string) => `${string}\0`).join(''));
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}
