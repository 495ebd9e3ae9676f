import { randomBytes } from 'node:crypto';
import { BASE64_KEY_CHARS, BASE64_KEYS, VALUE } from '../workload.js';
import { decodeHttpAnswers } from './http-answers.js';
import type { OnAnswer, Protocol } from './protocol.js';
import { readDecimal, SPACE, Template, writeDecimal, ZERO } from './template.js';

const COUNTER_DIGITS = 12;
const VERSION_DIGITS = 16;
const COMMITTED = Buffer.from('"status":"committed"');
const VERSION = Buffer.from('"version":');

let connectionsOpened = 0;
const RUN = randomBytes(4).toString('hex');

/** `POST /v1/commit` on a connection that is kept alive; each with a request ID of its own, as a client should. */
export class HeadwaterProtocol implements Protocol {
  readonly requestBytes: number;
  readonly #template: Template;
  #requests = 0;

  constructor(port: number, leaderId: string) {
    connectionsOpened += 1;
    const body = Template.of(
      `{"request_id":"bench-${RUN}-${connectionsOpened}-`,
      COUNTER_DIGITS,
      `","leader_id":"${leaderId}","read_version":`,
      VERSION_DIGITS,
      ',"preconditions":[{"type":"point_read","key":"',
      BASE64_KEY_CHARS,
      '"}],"operations":[{"type":"write","key":"',
      BASE64_KEY_CHARS,
      `","value":"${VALUE.toString('base64')}"}]}`,
    );
    const head =
      `POST /v1/commit HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.bytes.length}\r\n\r\n`;
    this.#template = body.between(Buffer.from(head), Buffer.alloc(0));
    this.requestBytes = this.#template.bytes.length;
  }

  encode(buffer: Buffer, offset: number, key: number, version: number): void {
    const template = this.#template;
    template.copy(buffer, offset);
    writeDecimal(buffer, template.at(offset, 0), COUNTER_DIGITS, this.#requests, ZERO);
    this.#requests += 1;
    // White space ahead of a number is legal JSON.
    writeDecimal(buffer, template.at(offset, 1), VERSION_DIGITS, version, SPACE);
    const from = key * BASE64_KEY_CHARS;
    BASE64_KEYS.copy(buffer, template.at(offset, 2), from, from + BASE64_KEY_CHARS);
    BASE64_KEYS.copy(buffer, template.at(offset, 3), from, from + BASE64_KEY_CHARS);
  }

  decode(bytes: Buffer, onAnswer: OnAnswer): number {
    return decodeHttpAnswers(bytes, (start, end) => {
      const status = bytes.indexOf(COMMITTED, start);
      // The last one: those ahead of it belong to conflicts.
      const version = bytes.lastIndexOf(VERSION, end - 1);
      if (version < start) {
        throw new Error(`this is no commit response: ${bytes.toString('utf8', start, end)}`);
      }
      // Answers of the next request may follow in the same chunk.
      const isCommitted = status !== -1 && status < end;
      onAnswer(isCommitted, readDecimal(bytes, version + VERSION.length));
    });
  }
}
