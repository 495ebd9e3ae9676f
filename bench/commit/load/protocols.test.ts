import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EtcdProtocol } from '../contestants/etcd-protocol.js';
import { NatsProtocol } from '../contestants/nats-protocol.js';
import { PostgresProtocol } from '../contestants/postgres-protocol.js';
import { RedisProtocol } from '../contestants/redis-protocol.js';
import { HeadwaterProtocol } from './headwater-protocol.js';
import type { Protocol } from './protocol.js';

type Answer = readonly [committed: boolean, version: number];

const http = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-LENGTH: ${body.length}\r\nDate: today\r\n\r\n${body}`;

const row = (version: bigint): Buffer => {
  const bytes = Buffer.from('D\0\0\0\x12\0\x01\0\0\0\x08........Z\0\0\0\x05I', 'latin1');
  bytes.writeBigInt64BE(version, 11);
  return bytes;
};
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** For each protocol: what a server sends, and the answers in it. */
const conversations: readonly {
  name: string;
  open: () => Protocol;
  bytes: Buffer;
  answers: readonly Answer[];
}[] = [
  {
    name: 'Headwater',
    open: () => new HeadwaterProtocol(80, 'leader'),
    bytes: Buffer.from(
      http('{"status":"committed","version":12}') +
        http('{"status":"not_committed","conflicts":[{"type":"point_read","version":12}],"version":345}') +
        http('{"status":"committed","version":346}'),
    ),
    answers: [
      [true, 12],
      [false, 345],
      [true, 346],
    ],
  },
  {
    name: 'etcd',
    open: () => new EtcdProtocol(80),
    bytes: Buffer.from(
      http('{"header":{"revision":"7"},"succeeded":true}') + http('{"header":{"revision":"8"}}'),
    ),
    answers: [
      [true, 7],
      [false, 8],
    ],
  },
  {
    name: 'Redis',
    open: () => new RedisProtocol('return 1'),
    bytes: Buffer.from(`$40\r\n${'a'.repeat(40)}\r\n:1\r\n:-25\r\n:3\r\n`),
    answers: [
      [true, 1],
      [false, 25],
      [true, 3],
    ],
  },
  {
    name: 'NATS',
    open: () => new NatsProtocol(),
    bytes: Buffer.from(
      'INFO {"version":"2"}\r\nMSG _INBOX.1 1 27\r\n{"stream":"BENCH","seq":31}\r\nPING\r\n' +
        'MSG _INBOX.1 1 61\r\n{"error":{"code":400,"description":"wrong last sequence: 9"}}\r\n',
    ),
    answers: [
      [true, 31],
      [false, 9],
    ],
  },
  {
    name: 'PostgreSQL',
    open: () => new PostgresProtocol('user', 'database'),
    bytes: Buffer.concat([ready, ready, row(5n), row(-6n)]),
    answers: [
      [true, 5],
      [false, 6],
    ],
  },
];

describe('the protocols of the commit benchmark', () => {
  for (const { name, open, bytes, answers } of conversations) {
    it(`${name}: finds the same answers wherever the bytes are torn`, () => {
      for (let torn = 0; torn <= bytes.length; torn += 1) {
        const protocol = open();
        const found: Answer[] = [];
        const onAnswer = (committed: boolean, version: number): void => {
          found.push([committed, version]);
        };
        const taken = protocol.decode(bytes.subarray(0, torn), onAnswer);
        assert.equal(protocol.decode(bytes.subarray(taken), onAnswer), bytes.length - taken);
        assert.deepEqual(found, answers, `torn at ${torn}`);
      }
    });

    it(`${name}: fills a slot with a request and touches no other`, () => {
      const protocol = open();
      const size = protocol.requestBytes;
      const write = (fill: number): Buffer => {
        const slots = Buffer.alloc(3 * size, fill);
        protocol.encode(slots, size, 99_999, 1_234);
        const around = Buffer.concat([slots.subarray(0, size), slots.subarray(2 * size)]);
        assert.ok(around.every((byte) => byte === fill));
        return slots.subarray(size, 2 * size);
      };
      const first = write(0x00);
      const second = write(0xff);
      // But for the request ID, which is another one each time, no byte is what the slot held before.
      const held = first.filter((byte, at) => byte === 0x00 && second[at] === 0xff);
      assert.equal(held.length, 0);
    });
  }
});
