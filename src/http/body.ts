import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyBudget } from './body-budget.js';
import { overloaded, Problem } from './problem.js';

/** How long, and how many bytes, are still taken in after a 413, so that the client can read the answer. */
const LINGER_MS = 1000;
const LINGER_BYTES = 8 << 20;

/** The client went away before its request was complete; there is nobody to answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/** @throws Problem `unsupported-media-type` unless the body is declared as JSON. */
export function requireJson({ headers }: IncomingMessage): void {
  const contentType = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'] ?? '';
  if (contentType === 'application/json' && encoding === '') return;
  const [type = '', ...parameters] = contentType.split(';');
  const isJson = type.trim().toLowerCase() === 'application/json';
  const isUtf8 = parameters.every((parameter) => /^\s*(charset="?utf-8"?)?\s*$/i.test(parameter));
  const isPlain = ['', 'identity'].includes(encoding.trim().toLowerCase());
  if (isJson && isUtf8 && isPlain) return;
  throw new Problem('unsupported-media-type', 'send application/json, in UTF-8 and not compressed');
}

const tooLarge = (bytesMax: number) =>
  new Problem('content-too-large', `a request may have at most ${bytesMax} bytes`);

/** @throws Problem `content-too-large` when the request declares more than `bytesMax` bytes. */
export function refuseTooLarge(request: IncomingMessage, bytesMax: number): void {
  if (declaresTooMuch(request, bytesMax)) throw tooLarge(bytesMax);
}

/** Whether the request declares more bytes than are allowed. */
export function declaresTooMuch(request: IncomingMessage, bytesMax: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > bytesMax;
}

/**
 * Reads a whole body; what it declares must have been checked with `refuseTooLarge`.
 *
 * @throws Problem `content-too-large` as soon as it is known to exceed `bytesMax` bytes, `overloaded` when
 *   all bodies under way leave no room for it, and RequestAborted when the client goes away.
 */
export function readBody(request: IncomingMessage, bytesMax: number, budget: BodyBudget): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (action: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      budget.give(bytes);
      action();
    };
    const onData = (chunk: Buffer) => {
      if (bytes + chunk.length > bytesMax) settle(() => reject(tooLarge(bytesMax)));
      else if (!budget.take(chunk.length, bytes))
        settle(() => reject(overloaded('too many bodies are under way')));
      else {
        bytes += chunk.length;
        chunks.push(chunk);
      }
    };
    const onEnd = () =>
      settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)));
    const onClose = () => settle(() => reject(new RequestAborted('the client closed the connection')));
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

/**
 * Answers a request whose body has not been read to its end, and closes the connection. Closing at once would
 * reset it under a client that is still sending, which then never sees the answer; so a bounded rest is taken in first.
 */
export function answerUnread(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) });
  response.write(body);
  let bytes = 0;
  const finish = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) finish();
  });
  request.on('end', finish).on('close', finish).on('error', finish);
  request.resume();
}
