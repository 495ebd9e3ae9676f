import type { OnAnswer, Protocol } from '../load/protocol.js';
import { readDecimal, Template, writeDecimal, ZERO } from '../load/template.js';
import { KEY_BYTES, RAW_KEYS, VALUE } from '../workload.js';
import { NATS_SUBJECT } from './nats-stream.js';

const SEQUENCE_DIGITS = 12;
const LF = 0x0a;
const MESSAGE = Buffer.from('MSG ');
const ERROR = Buffer.from('-ERR');
const SEQUENCE = Buffer.from('"seq":');
const WRONG_SEQUENCE = Buffer.from('wrong last sequence: ');

let connectionsOpened = 0;

/** Publishes to the subject of a key, with the sequence number that its last message is expected to have. */
export class NatsProtocol implements Protocol {
  readonly requestBytes: number;
  readonly greeting: Buffer;
  readonly #template: Template;

  constructor() {
    connectionsOpened += 1;
    const inbox = `_INBOX.${connectionsOpened}`;
    this.greeting = Buffer.from(
      `CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB ${inbox} 1\r\n`,
    );
    const name = 'NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: ';
    const headerBytes = name.length + SEQUENCE_DIGITS + 4;
    this.#template = Template.of(
      `HPUB ${NATS_SUBJECT}`,
      KEY_BYTES,
      ` ${inbox} ${headerBytes} ${headerBytes + VALUE.length}\r\n${name}`,
      SEQUENCE_DIGITS,
      '\r\n\r\n',
      VALUE,
      '\r\n',
    );
    this.requestBytes = this.#template.bytes.length;
  }

  encode(buffer: Buffer, offset: number, key: number, version: number): void {
    const template = this.#template;
    template.copy(buffer, offset);
    RAW_KEYS.copy(buffer, template.at(offset, 0), key * KEY_BYTES, (key + 1) * KEY_BYTES);
    writeDecimal(buffer, template.at(offset, 1), SEQUENCE_DIGITS, version, ZERO);
  }

  decode(bytes: Buffer, onAnswer: OnAnswer): number {
    let taken = 0;
    for (;;) {
      const lineEnd = bytes.indexOf(LF, taken);
      if (lineEnd === -1) return taken;
      if (startsWith(bytes, taken, ERROR))
        throw new Error(`NATS answers ${bytes.toString('utf8', taken, lineEnd)}`);
      let end = lineEnd + 1;
      // Other lines greet, ping, and tell of the server.
      if (startsWith(bytes, taken, MESSAGE)) {
        // MSG <subject> <subscription> <bytes>, then the payload, then an end of line.
        const payloadBytes = readDecimal(bytes, bytes.lastIndexOf(' ', lineEnd) + 1);
        end += payloadBytes + 2;
        if (end > bytes.length) return taken;
        acknowledgement(bytes.subarray(lineEnd + 1, end), onAnswer);
      }
      taken = end;
    }
  }
}

function startsWith(bytes: Buffer, at: number, prefix: Buffer): boolean {
  return bytes[at] === prefix[0] && bytes.subarray(at, at + prefix.length).equals(prefix);
}

function acknowledgement(payload: Buffer, onAnswer: OnAnswer): void {
  const sequence = payload.indexOf(SEQUENCE);
  const wrong = payload.indexOf(WRONG_SEQUENCE);
  if (wrong !== -1) onAnswer(false, readDecimal(payload, wrong + WRONG_SEQUENCE.length));
  else if (sequence !== -1 && !payload.includes('"error"')) {
    onAnswer(true, readDecimal(payload, sequence + SEQUENCE.length));
  } else throw new Error(`JetStream answers ${payload}`);
}
