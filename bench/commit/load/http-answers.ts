const CR = 0x0d;
const LF = 0x0a;
const LOWER_CASE = 0x20;
const NAME = Buffer.from('content-length:');
const STATUS_AT = 'HTTP/1.1 '.length;
const OK = Buffer.from('200');

/**
 * The bodies of the complete HTTP/1.1 responses at the start of `bytes`, each with where it begins and ends.
 * @returns how many bytes the responses had
 * @throws when a response is not a 200, or does not tell its length
 */
export function decodeHttpAnswers(bytes: Buffer, onBody: (start: number, end: number) => void): number {
  let taken = 0;
  for (;;) {
    const head = bytes.indexOf('\r\n\r\n', taken, 'latin1');
    if (head === -1) return taken;
    const start = head + 4;
    const end = start + contentLength(bytes, taken, start);
    if (bytes.compare(OK, 0, OK.length, taken + STATUS_AT, taken + STATUS_AT + OK.length) !== 0) {
      throw new Error(`the server answers ${bytes.toString('utf8', taken, Math.min(end, taken + 500))}`);
    }
    if (end > bytes.length) return taken;
    onBody(start, end);
    taken = end;
  }
}

function contentLength(bytes: Buffer, from: number, to: number): number {
  for (let at = from; at < to; at += 1) {
    if (bytes[at] !== LF || (bytes[at + 1]! | LOWER_CASE) !== NAME[0]) continue;
    let matched = 1;
    while (matched < NAME.length && (bytes[at + 1 + matched]! | LOWER_CASE) === NAME[matched]) matched += 1;
    if (matched === NAME.length) return readLength(bytes, at + 1 + matched);
  }
  throw new Error(`a response without Content-Length: ${bytes.toString('latin1', from, to)}`);
}

function readLength(bytes: Buffer, from: number): number {
  let length = 0;
  for (let at = from; bytes[at] !== CR; at += 1) {
    if (bytes[at] !== 0x20) length = length * 10 + (bytes[at]! - 0x30);
  }
  return length;
}
