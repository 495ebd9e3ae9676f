import type { IncomingMessage } from 'node:http';
import type { Behaviour } from './behaviour.js';
import { Refusal } from './refusal.js';

const tooLarge = (): Refusal => new Refusal('too-large', 'the body is above the limit');

/**
 * Reads a body of at most `limit` bytes. What is above it is thrown away as it comes, so that the client can
 * send on until it sees the answer.
 * @throws Refusal
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  behaviour: Behaviour,
): Promise<Buffer> {
  const { most, mostUndeclared } = behaviour.pick(
    { most: limit, mostUndeclared: limit },
    {
      'size-limit-off-by-one': { most: limit - 1, mostUndeclared: limit - 1 },
      'size-limit-exceeded-by-half': { most: limit * 1.5, mostUndeclared: limit * 1.5 },
      'size-unlimited-when-chunked': { most: limit, mostUndeclared: Number.POSITIVE_INFINITY },
      // Four bytes at most make a character.
      'size-limit-in-characters': { most: limit * 4, mostUndeclared: limit * 4 },
      'oversize-refused-but-committed': {
        most: Number.POSITIVE_INFINITY,
        mostUndeclared: Number.POSITIVE_INFINITY,
      },
    },
  );
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > most) {
    request.resume();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > (declared === undefined ? mostUndeclared : most)) {
      request.resume();
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (behaviour.has('size-limit-in-characters') && body.toString('utf8').length > limit) throw tooLarge();
  return body;
}
