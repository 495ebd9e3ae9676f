import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { SubscribeQuery } from '../api/api.js';
import { Chain } from '../api/chain.js';
import { Stream } from '../api/stream.js';
import { Ledger } from '../model/ledger.js';
import { LogView } from '../model/log-view.js';
import { Witness } from '../model/witness.js';

/** An event stream whose server side a test writes itself. */
export interface StandInStream {
  readonly stream: Stream;
  readonly body: PassThrough;
  readonly abort: AbortController;
  readonly send: (text: string | Buffer) => void;
}

export function openStandInStream(query: SubscribeQuery, patienceMs: number): StandInStream {
  const body = new PassThrough();
  const abort = new AbortController();
  const chain = new Chain(query, -1n, new LogView(new Ledger()), new Witness());
  const response = body as unknown as IncomingMessage;
  const stream = new Stream(response, chain, abort, patienceMs, () => undefined);
  abort.signal.addEventListener('abort', () => body.destroy());
  const send = (text: string | Buffer): void => {
    body.write(text);
  };
  return { stream, body, abort, send };
}

export const transaction = (version: number, prev = version - 1): string =>
  `event: transaction\ndata: ${JSON.stringify({
    request_id: `request ${version}`,
    version,
    prev_version: prev,
    timestamp: '2026-01-31T23:59:59.123Z',
    leader_id: 'A',
    operations: [],
  })}\n\n`;

export const checkpoint = (version: number): string =>
  `event: checkpoint\ndata: {"committed_version":${version},"leader_id":"A"}\n\n`;
