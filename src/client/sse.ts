import { ProtocolError } from './errors.js';

export interface SseMessage {
  /** `message` when the stream names none. */
  readonly event: string;
  readonly data: string;
}

const LF = 0x0a;
const CR = 0x0d;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Well above the largest event that a commit can cause, so that a stream without end cannot fill the memory.
 */
const DEFAULT_LENGTH_MAX = 256 * 1024 * 1024;

/**
 * Parses an event stream as the HTML standard says ("server-sent events"), from chunks cut anywhere: also
 * within a character, a line end or the byte order mark. An event that its blank line has not ended is not
 * delivered. The fields `id` and `retry` are read over: the position is the version, and the waits are the
 * client's own.
 */
export class SseParser {
  readonly #lengthMax: number;
  // Only whole lines are decoded, so a decoder never meets half a character.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Bytes of the line that has not ended yet. */
  #partial: Uint8Array[] = [];
  #partialLength = 0;
  /** How many bytes of a byte order mark the stream has begun with; undefined once that is settled. */
  #bomSeen: number | undefined = 0;
  /** The last chunk ended in CR, which ended a line: an LF that follows belongs to it. */
  #afterCr = false;
  #event = '';
  #data: string[] = [];
  #dataLength = 0;

  /** @param lengthMax the longest line and the longest data of one event, in bytes */
  constructor(lengthMax = DEFAULT_LENGTH_MAX) {
    this.#lengthMax = lengthMax;
  }

  /**
   * The events that `chunk` completes.
   * @throws {ProtocolError} when an event is longer than the limit
   */
  push(chunk: Uint8Array): SseMessage[] {
    let bytes = this.#bomSeen === undefined ? chunk : this.#skipBom(chunk, this.#bomSeen);
    if (this.#afterCr && bytes.length > 0) {
      this.#afterCr = false;
      if (bytes[0] === LF) bytes = bytes.subarray(1);
    }
    const lf = bytes.lastIndexOf(LF) + 1;
    // Most streams have no CR at all: looking for it behind the last LF is enough.
    const end = lf + bytes.subarray(lf).lastIndexOf(CR) + 1;
    if (end === 0) {
      this.#keep(bytes);
      return [];
    }
    this.#keep(bytes.subarray(0, end));
    const text = this.#decoder.decode(this.#takePartial());
    this.#afterCr = bytes[end - 1] === CR && end === bytes.length;
    this.#keep(bytes.subarray(end));
    return this.#readLines(text);
  }

  #skipBom(chunk: Uint8Array, seen: number): Uint8Array {
    for (const [index, byte] of chunk.subarray(0, BOM.length - seen).entries()) {
      if (byte !== BOM[seen + index]) {
        this.#bomSeen = undefined;
        // What looked like a mark in earlier chunks was content.
        this.#keep(Uint8Array.from(BOM.slice(0, seen)));
        return chunk;
      }
    }
    const total = seen + chunk.length;
    this.#bomSeen = total < BOM.length ? total : undefined;
    return chunk.subarray(BOM.length - seen);
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#partial.push(bytes);
    this.#partialLength += bytes.length;
    if (this.#partialLength > this.#lengthMax) this.#tooLong();
  }

  #takePartial(): Uint8Array {
    const parts = this.#partial;
    let joined = parts[0]!;
    if (parts.length > 1) {
      joined = new Uint8Array(this.#partialLength);
      let at = 0;
      for (const part of parts) {
        joined.set(part, at);
        at += part.length;
      }
    }
    this.#partial = [];
    this.#partialLength = 0;
    return joined;
  }

  /** `text` ends in a line end. */
  #readLines(text: string): SseMessage[] {
    const messages: SseMessage[] = [];
    let lf = text.indexOf('\n');
    let cr = text.indexOf('\r');
    for (let start = 0; start < text.length; ) {
      const end = lf === -1 || (cr !== -1 && cr < lf) ? cr : lf;
      this.#readLine(text, start, end, messages);
      start = end === cr && lf === cr + 1 ? end + 2 : end + 1;
      if (lf !== -1 && lf < start) lf = text.indexOf('\n', start);
      if (cr !== -1 && cr < start) cr = text.indexOf('\r', start);
    }
    return messages;
  }

  #readLine(text: string, start: number, end: number, messages: SseMessage[]): void {
    if (start === end) {
      this.#dispatch(messages);
      return;
    }
    const line = text.slice(start, end);
    const colon = line.indexOf(':');
    // A colon at the start makes a comment.
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'event') this.#event = value;
    if (name === 'data') {
      this.#data.push(value);
      this.#dataLength += value.length + 1;
      if (this.#dataLength > this.#lengthMax) this.#tooLong();
    }
  }

  #dispatch(messages: SseMessage[]): void {
    if (this.#data.length > 0)
      messages.push({ event: this.#event || 'message', data: this.#data.join('\n') });
    this.#event = '';
    this.#data = [];
    this.#dataLength = 0;
  }

  #tooLong(): never {
    throw new ProtocolError(`an event is longer than ${this.#lengthMax} bytes`);
  }
}
