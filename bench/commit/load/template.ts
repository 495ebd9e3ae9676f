/** A request of fixed length: fixed text, and fields of fixed width that are filled in for each transaction. */
export class Template {
  readonly bytes: Buffer;
  /** Where the fields begin. */
  readonly fields: readonly number[];

  private constructor(bytes: Buffer, fields: readonly number[]) {
    this.bytes = bytes;
    this.fields = fields;
  }

  /** @param parts text, bytes, and for each field its width */
  static of(...parts: readonly (string | Buffer | number)[]): Template {
    const fields: number[] = [];
    const chunks: Buffer[] = [];
    let length = 0;
    for (const part of parts) {
      if (typeof part === 'number') fields.push(length);
      const chunk = typeof part === 'string' ? Buffer.from(part) : part;
      chunks.push(typeof chunk === 'number' ? Buffer.alloc(chunk) : chunk);
      length += chunks.at(-1)!.length;
    }
    return new Template(Buffer.concat(chunks), fields);
  }

  /** The same with bytes ahead of it and behind it. */
  between(before: Buffer, after: Buffer): Template {
    return new Template(
      Buffer.concat([before, this.bytes, after]),
      this.fields.map((at) => at + before.length),
    );
  }

  /** Where a field begins in a request that is written at `offset`. */
  at(offset: number, field: number): number {
    return offset + this.fields[field]!;
  }

  copy(buffer: Buffer, offset: number): void {
    buffer.set(this.bytes, offset);
  }
}

export const SPACE = 0x20;
export const ZERO = 0x30;

/** Writes an integer, 0 or more, right-aligned into a field; `pad` (a byte) fills it up on the left. */
export function writeDecimal(buffer: Buffer, start: number, width: number, value: number, pad: number): void {
  let rest = value;
  let at = start + width;
  do {
    at -= 1;
    const tenth = Math.floor(rest / 10);
    buffer[at] = ZERO + (rest - tenth * 10);
    rest = tenth;
  } while (rest > 0);
  buffer.fill(pad, start, at);
}

/** The integer that begins at `start`: its digits up to the first byte that is none. */
export function readDecimal(bytes: Buffer, start: number): number {
  let value = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return value;
}
