import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { KeyNumbers } from '../workload.js';
import type { Knowledge } from './knowledge.js';
import type { Protocol } from './protocol.js';
import type { Tally } from './tally.js';
import type { WaitingLine } from './waiting-line.js';

const READ_BYTES = 65_536;

export interface ConnectionOptions {
  readonly port: number;
  readonly protocol: Protocol;
  /** Most requests under way. */
  readonly depth: number;
  readonly knowledge: Knowledge;
  readonly keys: KeyNumbers;
  readonly line: WaitingLine;
  readonly tally: Tally;
  readonly onFailure: (error: unknown) => void;
}

/**
 * One connection, kept full: whatever the answers of a chunk make room for is sent at once. Requests are written
 * into a ring of slots; answers come in the order of the requests, so the oldest slot is free with the next answer.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  readonly #slots: Buffer;
  readonly #keys: Uint32Array;
  readonly #arrivedMs: Float64Array;
  readonly #onAnswer = (committed: boolean, version: number): void => this.#take(committed, version);
  /** Counted without end; the place of a request in the ring is the remainder. */
  #sent = 0;
  #answered = 0;
  #nowMs = 0;
  /** The beginning of an answer whose end has not come yet. */
  #rest: Buffer | undefined;
  #isStopping = false;

  private constructor(options: ConnectionOptions) {
    const { port, depth, protocol, onFailure } = options;
    this.#options = options;
    this.#slots = Buffer.alloc(depth * protocol.requestBytes);
    this.#keys = new Uint32Array(depth);
    this.#arrivedMs = new Float64Array(depth);
    // Reading into one buffer spares an allocation for every chunk.
    const buffer = Buffer.alloc(READ_BYTES);
    const callback = (bytes: number): boolean => {
      try {
        this.#read(buffer.subarray(0, bytes));
      } catch (error) {
        onFailure(error);
        this.#socket.destroy();
      }
      return true;
    };
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer, callback } });
    this.#socket.on('error', onFailure).on('close', () => {
      if (!this.isIdle) onFailure(new Error('a connection was closed under a request'));
    });
  }

  /** @throws when nobody listens. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options);
    await once(connection.#socket, 'connect');
    const { greeting } = options.protocol;
    if (greeting !== undefined) connection.#socket.write(greeting);
    return connection;
  }

  get isIdle(): boolean {
    return this.#sent === this.#answered;
  }

  /** Sends as much as there are waiting transactions and free slots. */
  start(): void {
    this.#fill();
  }

  /** Nothing is sent any more. */
  stop(): void {
    this.#isStopping = true;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#nowMs = performance.now();
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    const taken = this.#options.protocol.decode(bytes, this.#onAnswer);
    this.#rest = taken === bytes.length ? undefined : Buffer.from(bytes.subarray(taken));
    if (!this.#isStopping) this.#fill();
  }

  #take(committed: boolean, version: number): void {
    const { knowledge, line, tally, depth } = this.#options;
    if (this.isIdle) throw new Error('an answer came without a request');
    const slot = this.#answered % depth;
    this.#answered += 1;
    knowledge.learn(this.#keys[slot]!, version);
    tally.add(committed, this.#nowMs - this.#arrivedMs[slot]!);
    // The client that has its answer comes back at once.
    line.join(this.#nowMs);
  }

  #fill(): void {
    const { protocol, knowledge, keys, line, depth } = this.#options;
    const { requestBytes } = protocol;
    const first = this.#sent % depth;
    let count = 0;
    for (; this.#sent - this.#answered < depth && line.length > 0; count += 1) {
      const slot = this.#sent % depth;
      const key = keys.next();
      this.#keys[slot] = key;
      this.#arrivedMs[slot] = line.leave();
      protocol.encode(this.#slots, slot * requestBytes, key, knowledge.versionFor(key));
      this.#sent += 1;
    }
    if (count === 0) return;
    const end = Math.min(first + count, depth);
    const wrapped = first + count - end;
    if (wrapped > 0) this.#socket.cork();
    this.#socket.write(this.#slots.subarray(first * requestBytes, end * requestBytes));
    if (wrapped > 0) {
      this.#socket.write(this.#slots.subarray(0, wrapped * requestBytes));
      this.#socket.uncork();
    }
  }
}
