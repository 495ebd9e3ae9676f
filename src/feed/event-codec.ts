import type { Core } from '../core/core.js';
import { renderTransactions } from '../core/render.js';

/** The events of consecutive transactions as they go over the wire, made once for all subscribers. */
export interface EncodedEvents {
  readonly firstVersion: number;
  readonly lastVersion: number;
  readonly text: Uint8Array;
  /** Bytes of the records that the text was made of. */
  readonly recordBytes: number;
  /** Where the event of `firstVersion + index` ends in `text`. */
  readonly ends: Uint32Array;
}

const utf8 = new TextEncoder();
const TRANSACTION_FRAME = { prefix: utf8.encode('event: transaction\ndata: '), suffix: utf8.encode('\n\n') };

/** An SSE comment that keeps idle connections alive (specification 6.3). */
export const KEEPALIVE = utf8.encode(': keepalive\n\n');

/** Encodes records as `transaction` events (specification 6.1). */
export function encodeTransactions(
  core: Core,
  block: {
    readonly bytes: Uint8Array;
    readonly leaderId: string;
    readonly firstVersion: number;
    readonly lastVersion: number;
  },
): EncodedEvents {
  const { text, ends } = renderTransactions(core, block, TRANSACTION_FRAME);
  const { firstVersion, lastVersion, bytes } = block;
  return { firstVersion, lastVersion, text, recordBytes: bytes.length, ends };
}

/** Encodes a `checkpoint` event (specification 6.2). */
export function encodeCheckpoint(committedVersion: number, leaderId: string): Uint8Array {
  return utf8.encode(
    `event: checkpoint\ndata: ${JSON.stringify({ committed_version: committedVersion, leader_id: leaderId })}\n\n`,
  );
}

/** The part of the text with the events above `after`, up to and including `through`. */
export function eventsBetween(events: EncodedEvents, after: number, through: number): Uint8Array {
  const { firstVersion, lastVersion, text, ends } = events;
  if (after < firstVersion && through >= lastVersion) return text;
  const start = after < firstVersion ? 0 : ends[after - firstVersion]!;
  const end = ends[Math.min(through, lastVersion) - firstVersion]!;
  return text.subarray(start, end);
}
