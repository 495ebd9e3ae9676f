import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeCommit, isUnavailable } from '../api/decode.js';
import { write } from '../model/transaction.js';
import type { Basis, TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { type HttpAnswer, NoAnswer } from '../wire/http.js';

/** The answer to a body that was sent as it stands. */
export interface BodyAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** `other`: neither an outcome nor a 4xx. */
  readonly kind: 'committed' | 'not_committed' | 'refused' | 'other';
  /** Where it committed. */
  readonly version: bigint | undefined;
}

export interface HowToSend {
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunked?: boolean;
  readonly freshConnection?: boolean;
}

/** The same body has to carry another request_id each time it is sent. */
export type BodyFor = (basis: Basis, requestId: string) => string | Buffer;

const REJECTIONS = 25;
const SILENCES = 4;
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/**
 * Sends a body to POST /v1/commit, again while the server is unavailable or rejects it: it need not look at
 * the form of a request before it looks at the leader. What is answered in the end is left to the caller.
 * @param requirement blamed when nothing is answered
 * @throws Violation, Incomplete
 */
export async function sendBody(
  t: TestContext,
  requirement: string,
  bodyFor: BodyFor,
  how: HowToSend = {},
): Promise<BodyAnswer> {
  const deadline = performance.now() + t.options.patienceMs;
  let basis: Basis = { leaderId: t.leaderId, version: t.committed };
  let [rejections, silences] = [0, 0];
  for (;;) {
    const body = bodyFor(basis, t.requestId());
    let answer: HttpAnswer | undefined;
    try {
      // A connection that was used before may have been closed by the server: that is no silence twice.
      const freshConnection = how.freshConnection === true || silences > 0;
      answer = await t.api.raw('POST', '/v1/commit', {
        headers: JSON_HEADERS,
        body,
        ...how,
        freshConnection,
      });
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      silences += 1;
      if (silences >= SILENCES)
        throw new Violation(requirement, `no answer came to ${show(body)}: ${error.message}`);
    }
    if (answer !== undefined && !isUnavailable(answer.status)) {
      const decoded = readBodyAnswer(answer);
      rejections += 1;
      if (decoded.kind !== 'not_committed' || rejections >= REJECTIONS) return decoded;
    } else if (performance.now() > deadline && answer !== undefined) {
      // Ends the test without a verdict where the server is unavailable to everybody.
      await t.send(() => ({ operations: [write(t.space().key('k'), 'x')] }));
      throw new Violation(requirement, `${answer.status} was answered again and again to ${show(body)}`);
    } else await sleep(20 + t.random.below(60));
    basis = await t.now();
  }
}

/** The beginning of a body, for messages. */
export function show(body: string | Buffer): string {
  const text = body.toString('utf8');
  return text.length > 300 ? `${text.slice(0, 300)}... (${text.length} characters)` : text || 'an empty body';
}

/** What an answer to a commit says, as far as it says anything. */
export function readBodyAnswer(answer: HttpAnswer): BodyAnswer {
  const { status, headers } = answer;
  const rest = { status, headers, text: answer.body.toString('utf8') };
  try {
    const decoded = decodeCommit(answer, undefined);
    if (decoded.kind === 'committed') return { ...rest, kind: 'committed', version: decoded.version };
    if (decoded.kind !== 'unavailable') return { ...rest, kind: decoded.kind, version: undefined };
  } catch (error) {
    // What a wrong answer breaks depends on what was sent: the caller knows.
    if (!(error instanceof Violation)) throw error;
  }
  return { ...rest, kind: 'other', version: undefined };
}
