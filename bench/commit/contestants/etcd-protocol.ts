import { decodeHttpAnswers } from '../load/http-answers.js';
import type { OnAnswer, Protocol } from '../load/protocol.js';
import { readDecimal, SPACE, Template, writeDecimal } from '../load/template.js';
import { BASE64_KEY_CHARS, BASE64_KEYS, VALUE } from '../workload.js';

const REVISION_DIGITS = 16;
const REVISION = Buffer.from('"revision":"');
const SUCCEEDED = Buffer.from('"succeeded":true');

/** `POST /v3/kv/txn`: put the key if it was not changed after a revision. */
export class EtcdProtocol implements Protocol {
  readonly requestBytes: number;
  readonly #template: Template;

  constructor(port: number) {
    const body = Template.of(
      '{"compare":[{"target":"MOD","result":"LESS","key":"',
      BASE64_KEY_CHARS,
      '","mod_revision":',
      REVISION_DIGITS,
      '}],"success":[{"request_put":{"key":"',
      BASE64_KEY_CHARS,
      `","value":"${VALUE.toString('base64')}"}}]}`,
    );
    const head =
      `POST /v3/kv/txn HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.bytes.length}\r\n\r\n`;
    this.#template = body.between(Buffer.from(head), Buffer.alloc(0));
    this.requestBytes = this.#template.bytes.length;
  }

  encode(buffer: Buffer, offset: number, key: number, version: number): void {
    const template = this.#template;
    template.copy(buffer, offset);
    const from = key * BASE64_KEY_CHARS;
    BASE64_KEYS.copy(buffer, template.at(offset, 0), from, from + BASE64_KEY_CHARS);
    writeDecimal(buffer, template.at(offset, 1), REVISION_DIGITS, version + 1, SPACE);
    BASE64_KEYS.copy(buffer, template.at(offset, 2), from, from + BASE64_KEY_CHARS);
  }

  decode(bytes: Buffer, onAnswer: OnAnswer): number {
    return decodeHttpAnswers(bytes, (start, end) => {
      const body = bytes.subarray(start, end);
      const revision = body.indexOf(REVISION);
      if (revision === -1) throw new Error(`etcd answers ${body}`);
      onAnswer(body.includes(SUCCEEDED), readDecimal(body, revision + REVISION.length));
    });
  }
}
