import type { IncomingMessage } from 'node:http';
import type { LogEvent } from '../model/log-view.js';
import { Violation } from '../run/violation.js';
import { type SseItem, SseParser } from '../wire/sse.js';
import type { Chain } from './chain.js';
import { decodeCheckpoint, decodeTransactionEvent } from './event-decode.js';

export type StreamItem =
  | { readonly kind: 'transaction'; readonly event: LogEvent }
  | { readonly kind: 'checkpoint'; readonly version: bigint; readonly leaderId: string }
  | { readonly kind: 'keepalive' }
  | { readonly kind: 'end'; readonly why: string };

const isNotUtf8 = (error: unknown): boolean =>
  error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** Names under which a server might send a keepalive as an event. */
const KEEPALIVE_NAMES = /^(keep-?alive|heartbeat|ping|message)$/i;

/**
 * An open event stream. Every item is checked as it comes; a violation is thrown to whoever asks for the next
 * item, and ends the stream.
 */
export class Stream {
  /** Names of events that the specification does not know. */
  readonly otherEvents = new Set<string>();
  readonly #chain: Chain;
  readonly #abort: AbortController;
  readonly #patienceMs: number;
  readonly #note: (what: () => string) => void;
  readonly #response: IncomingMessage;
  #items: StreamItem[] = [];
  #failure: Error | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(
    response: IncomingMessage,
    chain: Chain,
    abort: AbortController,
    patienceMs: number,
    note: (what: () => string) => void,
  ) {
    this.#response = response;
    this.#chain = chain;
    this.#abort = abort;
    this.#patienceMs = patienceMs;
    this.#note = note;
    this.#read(response);
  }

  /** Whether every item received was handed over. */
  get isDrained(): boolean {
    return this.#items.length === 0;
  }

  /** Version of the last transaction received; undefined before the first. */
  get last(): bigint | undefined {
    return this.#chain.last;
  }

  /** Version of the last checkpoint received; undefined before the first. */
  get checkpoint(): bigint | undefined {
    return this.#chain.checkpoint;
  }

  /** See {@link Chain.unprovenStart}. */
  get unprovenStart(): bigint | undefined {
    return this.#chain.unprovenStart;
  }

  /** Stops reading from the connection, as a slow reader does, until `resume`. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  close(): void {
    this.#ended = true;
    this.#abort.abort();
    this.#wake?.();
  }

  /**
   * The next item; an item `end` once the connection has ended.
   * @param waitingFor for the message, and `requirement` to blame, when nothing comes in time
   * @throws Violation
   */
  async next(waitingFor: string, requirement: string, patienceMs = this.#patienceMs): Promise<StreamItem> {
    const item = await this.poll(patienceMs);
    if (item !== undefined) return item;
    throw new Violation(requirement, `waited ${patienceMs} ms in vain for ${waitingFor}`);
  }

  /** The next item within `patienceMs`, or undefined. @throws Violation */
  async poll(patienceMs: number): Promise<StreamItem | undefined> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#ended) return { kind: 'end', why: 'closed' };
      const left = deadline - performance.now();
      if (left <= 0) return undefined;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #read(response: IncomingMessage): void {
    const parser = new SseParser();
    response.on('data', (chunk: Buffer) => {
      if (this.#ended) return;
      try {
        for (const item of parser.push(chunk)) this.#take(item);
      } catch (error) {
        this.#fail(
          isNotUtf8(error)
            ? new Violation('STREAM-SSE', `a line of the event stream is not UTF-8`)
            : (error as Error),
        );
      }
      this.#wake?.();
    });
    let why = 'the response ended';
    response.on('error', (error) => {
      why = error.message;
    });
    response.on('close', () => {
      if (!this.#ended) {
        this.#note(() => `the connection ended: ${why}`);
        this.#items.push({ kind: 'end', why });
      }
      this.#ended = true;
      this.#wake?.();
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#ended = true;
    this.#abort.abort();
  }

  #take(item: SseItem): void {
    if (item.kind === 'comment') {
      if (item.text.trim() === 'keepalive') this.#items.push({ kind: 'keepalive' });
      return;
    }
    const { event, data, fields } = item;
    if (fields.includes('id')) throw new Violation('STREAM-NO-ID', `an event (${event}) has an id field`);
    if (event === 'transaction') {
      const transaction = decodeTransactionEvent(data);
      this.#note(
        () =>
          `transaction ${transaction.version}, prev_version ${transaction.prevVersion}, ${transaction.requestId}`,
      );
      this.#chain.transaction(transaction);
      this.#items.push({ kind: 'transaction', event: transaction });
    } else if (event === 'checkpoint') {
      const checkpoint = decodeCheckpoint(data);
      this.#note(() => `checkpoint ${checkpoint.version}`);
      this.#chain.checkpointAt(checkpoint.version, checkpoint.leaderId);
      this.#items.push({ kind: 'checkpoint', ...checkpoint });
    } else if ((fields.includes('data') || fields.includes('event')) && KEEPALIVE_NAMES.test(event)) {
      throw new Violation(
        'KEEPALIVE-COMMENT',
        `an event ${event} with data "${data.slice(0, 60)}" was sent, where only a comment may keep a stream alive`,
      );
    } else if (event !== 'message') this.otherEvents.add(event);
  }
}
