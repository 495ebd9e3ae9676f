/** One event or comment of an event stream, with what a conformance check needs to know of its form. */
export type SseItem =
  | { readonly kind: 'comment'; readonly text: string }
  | {
      readonly kind: 'event';
      /** `message` when the stream names none. */
      readonly event: string;
      readonly data: string;
      /** The names of all fields of the event, in order. */
      readonly fields: readonly string[];
    };

const LF = 0x0a;
const CR = 0x0d;

/**
 * Parses an event stream as the HTML standard says (section "server-sent events"), from chunks that may be cut
 * anywhere. An event without data is not an event; it is reported when it has other fields, with data ''.
 */
export class SseParser {
  #line: Buffer[] = [];
  #afterCr = false;
  #firstLine = true;
  #event = '';
  #data: string[] = [];
  #fields: string[] = [];
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  /** @throws TypeError where a line is not UTF-8 */
  push(chunk: Buffer): SseItem[] {
    const items: SseItem[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === LF && this.#afterCr) {
        this.#afterCr = false;
        start = at + 1;
        continue;
      }
      this.#afterCr = byte === CR;
      if (byte !== LF && byte !== CR) continue;
      this.#line.push(chunk.subarray(start, at));
      start = at + 1;
      this.#takeLine(items);
    }
    if (start < chunk.length) this.#line.push(Buffer.from(chunk.subarray(start)));
    return items;
  }

  #takeLine(items: SseItem[]): void {
    let line = this.#decoder.decode(this.#line.length === 1 ? this.#line[0] : Buffer.concat(this.#line));
    this.#line = [];
    if (this.#firstLine && line.startsWith('\ufeff')) line = line.slice(1);
    this.#firstLine = false;
    if (line === '') {
      if (this.#fields.length > 0) {
        items.push({
          kind: 'event',
          event: this.#event || 'message',
          data: this.#data.join('\n'),
          fields: this.#fields,
        });
      }
      this.#event = '';
      this.#data = [];
      this.#fields = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) {
      items.push({ kind: 'comment', text: line.slice(1) });
      return;
    }
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    this.#fields.push(name);
    if (name === 'event') this.#event = value;
    if (name === 'data') this.#data.push(value);
  }
}
