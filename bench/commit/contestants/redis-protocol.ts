import { createHash } from 'node:crypto';
import type { OnAnswer, Protocol } from '../load/protocol.js';
import { readDecimal, Template, writeDecimal, ZERO } from '../load/template.js';
import { KEY_BYTES, RAW_KEYS, VALUE, VALUE_BYTES } from '../workload.js';

/** Digits of the version that is kept ahead of each value. */
export const REDIS_VERSION_DIGITS = 10;

const HELD_BYTES = REDIS_VERSION_DIGITS + VALUE_BYTES;
const CR = 0x0d;
const INTEGER = 0x3a;
const MINUS = 0x2d;

/** A script called by its hash: KEYS[1] the key, ARGV[1] its expected version, ARGV[2] the next version and the value. */
export class RedisProtocol implements Protocol {
  readonly requestBytes: number;
  readonly greeting: Buffer;
  readonly #template: Template;
  /** What is left of the answer to SCRIPT LOAD: `$40`, the hash. */
  #greetingLines = 2;

  constructor(script: string) {
    this.greeting = Buffer.from(`*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$${script.length}\r\n${script}\r\n`);
    const hash = createHash('sha1').update(script).digest('hex');
    this.#template = Template.of(
      `*6\r\n$7\r\nEVALSHA\r\n$${hash.length}\r\n${hash}\r\n$1\r\n1\r\n$${KEY_BYTES}\r\n`,
      KEY_BYTES,
      `\r\n$${REDIS_VERSION_DIGITS}\r\n`,
      REDIS_VERSION_DIGITS,
      `\r\n$${HELD_BYTES}\r\n`,
      REDIS_VERSION_DIGITS,
      VALUE,
      '\r\n',
    );
    this.requestBytes = this.#template.bytes.length;
  }

  encode(buffer: Buffer, offset: number, key: number, version: number): void {
    const template = this.#template;
    template.copy(buffer, offset);
    RAW_KEYS.copy(buffer, template.at(offset, 0), key * KEY_BYTES, (key + 1) * KEY_BYTES);
    writeDecimal(buffer, template.at(offset, 1), REDIS_VERSION_DIGITS, version, ZERO);
    writeDecimal(buffer, template.at(offset, 2), REDIS_VERSION_DIGITS, version + 1, ZERO);
  }

  decode(bytes: Buffer, onAnswer: OnAnswer): number {
    let taken = 0;
    for (;;) {
      const end = bytes.indexOf(CR, taken);
      // The line feed has to be there as well.
      if (end === -1 || end + 1 === bytes.length) return taken;
      if (this.#greetingLines > 0) this.#greetingLines -= 1;
      else if (bytes[taken] !== INTEGER) {
        throw new Error(`Redis answers ${bytes.toString('latin1', taken, end)}`);
      } else {
        // The version of the key; negative when it was not the expected one.
        const isCommitted = bytes[taken + 1] !== MINUS;
        onAnswer(isCommitted, readDecimal(bytes, taken + (isCommitted ? 1 : 2)));
      }
      taken = end + 2;
    }
  }
}
