import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt, Ledger, Outcome } from '../model/ledger.js';
import type { LogView } from '../model/log-view.js';
import { showTransaction, type Transaction, transactionJson } from '../model/transaction.js';
import type { Knowledge, Witness } from '../model/witness.js';
import { Incomplete, Violation } from '../run/violation.js';
import { type HttpAnswer, type HttpClient, NoAnswer, type OpenRequest } from '../wire/http.js';
import { toJson } from '../wire/json.js';
import type { Transcript } from '../wire/transcript.js';
import type { CommitAnswer, StatusAnswer, VersionAnswer } from './answers.js';
import { Chain } from './chain.js';
import { decodeCommit, decodeStatus, decodeVersion, isUnavailable } from './decode.js';
import { Reader } from './reader.js';
import { Stream } from './stream.js';

/** What is known over all tests of a run. */
export interface Shared {
  readonly http: HttpClient;
  readonly ledger: Ledger;
  readonly view: LogView;
  readonly witness: Witness;
  readonly patienceMs: number;
  /** Records what was seen where the specification leaves a choice. */
  readonly saw: (requirement: string, text: string) => void;
}

export interface SubscribeQuery {
  readonly after?: bigint;
  readonly durable?: boolean;
}

/** A commit whose body is sent in parts. */
export interface OpenCommit {
  /** The length of the body in bytes. */
  readonly length: number;
  /** Sends what comes next, up to, not including, the byte at `end` of the body. */
  sendUpTo(end: number): Promise<void>;
  /** Sends everything but the last byte. */
  sendMost(): Promise<void>;
  /** Sends the rest; the answer follows. */
  finish(): Promise<CommitAnswer>;
  abandon(): void;
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/**
 * The interface of the specification, as one client sees it. Every answer is decoded and judged by the rules
 * that always hold; what breaks one is thrown as a Violation.
 */
export class Api {
  readonly #shared: Shared;
  readonly #transcript: Transcript;
  readonly #test: string;
  readonly #streams = new Set<Stream>();
  #streamsOpened = 0;
  #ended = false;

  /** @param test the name under which its commits stand in the ledger */
  constructor(shared: Shared, transcript: Transcript, test: string) {
    this.#shared = shared;
    this.#transcript = transcript;
    this.#test = test;
  }

  /** A request of any form, answered as it came. @throws NoAnswer */
  raw(
    method: string,
    path: string,
    options: {
      body?: string | Buffer;
      headers?: Readonly<Record<string, string>>;
      chunked?: boolean;
      freshConnection?: boolean;
    } = {},
  ): Promise<HttpAnswer> {
    if (this.#ended) return never();
    return this.#shared.http.request(this.#transcript, { method, path, ...options });
  }

  /** @throws Violation, NoAnswer */
  async version(): Promise<VersionAnswer> {
    const known = this.#shared.witness.knowledge();
    const answer = decodeVersion(await this.get('/v1/version'));
    this.#transcript.note('client', () => `version -> ${answer.version}, leader ${answer.leaderId}`);
    const committed = answer.version < known.answered.version ? known.answered : known.committed;
    if (answer.version < committed.version)
      throw new Violation(
        committed.whenBehind,
        `GET /v1/version answered ${answer.version}, although version ${committed.version} was known to be committed (by ${committed.by}) when it was sent`,
      );
    this.#shared.witness.learnStated({
      version: answer.version,
      by: 'GET /v1/version',
      whenBehind: 'VERSION-NOT-BEHIND',
      whenAhead: 'VERSION-NOT-AHEAD',
    });
    this.#shared.witness.learnLeader(answer.leaderId, known, 'GET /v1/version');
    return answer;
  }

  /**
   * Sends a transaction.
   * @param space where its keys belong, so that it can be replayed
   * @throws Violation
   */
  commit(transaction: Transaction, space?: string): Promise<CommitAnswer> {
    const { attempt, known } = this.#begin(transaction, space);
    return this.#settle(
      this.raw('POST', '/v1/commit', { headers: JSON_HEADERS, body: toJson(transactionJson(transaction)) }),
      attempt,
      known,
    );
  }

  /** Begins a commit on a connection of its own; its body is sent as the caller says. */
  openCommit(transaction: Transaction, space?: string): OpenCommit {
    const body = Buffer.from(toJson(transactionJson(transaction)));
    const { attempt, known } = this.#begin(transaction, space);
    const open: OpenRequest = this.#shared.http.open(
      this.#transcript,
      { method: 'POST', path: '/v1/commit', headers: JSON_HEADERS, body },
      body.length,
    );
    let sent = 0;
    const sendUpTo = (end: number): Promise<void> => {
      const piece = body.subarray(sent, end);
      sent = Math.max(sent, end);
      return open.send(piece);
    };
    return {
      length: body.length,
      sendUpTo,
      sendMost: () => sendUpTo(body.length - 1),
      finish: () => {
        open.finish(body.subarray(sent));
        return this.#settle(open.answer, attempt, known);
      },
      abandon: () => {
        open.abandon();
        this.#shared.ledger.settle(attempt, { kind: 'unknown' });
      },
    };
  }

  /** Sends a body that need not be a transaction; a committed answer counts for what is known of versions. */
  async commitBody(
    body: string | Buffer,
    options: { headers?: Readonly<Record<string, string>>; chunked?: boolean } = {},
  ): Promise<CommitAnswer> {
    const known = this.#shared.witness.knowledge();
    try {
      const answer = await this.raw('POST', '/v1/commit', { headers: JSON_HEADERS, body, ...options });
      const decoded = decodeCommit(answer, undefined);
      this.#learn(decoded, undefined, known);
      return decoded;
    } catch (error) {
      if (error instanceof NoAnswer)
        return { kind: 'unavailable', httpStatus: undefined, why: error.message };
      throw error;
    }
  }

  /** @throws Violation, NoAnswer */
  async status(requestId: string, minVersion: bigint): Promise<StatusAnswer> {
    const query = `request_id=${encodeURIComponent(requestId)}&min_version=${minVersion}`;
    const answer = decodeStatus(await this.get(`/v1/status?${query}`));
    this.#transcript.note('client', () => `status ${requestId} from ${minVersion} -> ${answer.kind}`);
    if (answer.kind === 'committed')
      this.#shared.witness.learnTransaction(answer.version, 'GET /v1/status', 'VERSION-NOT-BEHIND');
    return answer;
  }

  /**
   * Opens an event stream, or hands over the status that was answered instead.
   * @throws Violation, NoAnswer
   */
  async subscribe(query: SubscribeQuery, name?: string): Promise<Stream | { readonly refused: number }> {
    const parameters = [
      ...(query.after === undefined ? [] : [`after=${query.after}`]),
      ...(query.durable === undefined ? [] : [`durable=${query.durable}`]),
    ].join('&');
    const path = `/v1/subscribe${parameters === '' ? '' : `?${parameters}`}`;
    const known = this.#shared.witness.knowledge();
    if (this.#ended) return never();
    const abort = new AbortController();
    const { response, exchange } = await this.#shared.http.stream(this.#transcript, path, abort.signal);
    if (this.#ended) {
      abort.abort();
      return never();
    }
    const status = response.statusCode ?? 0;
    const type = response.headers['content-type'] ?? '';
    if (status !== 200) {
      abort.abort();
      if (status >= 200 && status < 400)
        throw new Violation(
          'STREAM-CONTENT-TYPE',
          `GET ${path} answered ${status}, neither a stream nor an error`,
        );
      return { refused: status };
    }
    if (!/^text\/event-stream\s*(;|$)/i.test(type)) {
      abort.abort();
      throw new Violation('STREAM-CONTENT-TYPE', `GET ${path} answered Content-Type "${type}"`);
    }
    this.#streamsOpened += 1;
    const who = name ?? `stream ${this.#streamsOpened} (${parameters || 'default'})`;
    response.on('data', (chunk: Buffer) => {
      if (exchange.responseBody.length < 64) exchange.responseBody.push(chunk);
    });
    const chain = new Chain(query, known.committed.version, this.#shared.view, this.#shared.witness);
    const stream = new Stream(response, chain, abort, this.#shared.patienceMs, (what) =>
      this.#transcript.note(who, what),
    );
    this.#streams.add(stream);
    return stream;
  }

  /**
   * The status that is answered to a subscription of any form, once the server is available; a stream is
   * closed at once.
   * @throws NoAnswer
   */
  async subscribeStatus(query: string): Promise<number> {
    const deadline = performance.now() + this.#shared.patienceMs;
    for (;;) {
      const abort = new AbortController();
      const path = `/v1/subscribe?${query}`;
      const { response } = await this.#shared.http.stream(this.#transcript, path, abort.signal);
      abort.abort();
      const status = response.statusCode ?? 0;
      if (!isUnavailable(status) || performance.now() > deadline) return status;
      await sleep(50);
    }
  }

  /**
   * Follows the log from `query.after` on, over as many streams as it takes.
   * @param requirement blamed when no stream is given
   * @throws Violation, Incomplete
   */
  stream(query: SubscribeQuery, requirement = 'STREAM-AFTER-HELD', name?: string): Promise<Reader> {
    return Reader.open((again) => this.subscribe(again, name), query, {
      start: this.#shared.witness.knowledge().committed.version,
      patienceMs: this.#shared.patienceMs,
      requirement,
    });
  }

  /** Closes every stream that is still open. */
  close(): void {
    for (const stream of this.#streams) stream.close();
    this.#streams.clear();
  }

  /** Closes every stream, and lets nothing go out any more: what a test that has ended still tries never settles. */
  end(): void {
    this.#ended = true;
    this.close();
  }

  /**
   * A GET that is repeated while the server is unavailable, or breaks the connection, as one that restarts does.
   * @throws NoAnswer, Incomplete
   */
  async get(path: string): Promise<HttpAnswer> {
    const deadline = performance.now() + this.#shared.patienceMs;
    for (;;) {
      try {
        const answer = await this.raw('GET', path);
        if (!isUnavailable(answer.status)) return answer;
        if (performance.now() > deadline)
          throw new Incomplete(`GET ${path} was answered ${answer.status} for ${this.#shared.patienceMs} ms`);
      } catch (error) {
        if (!(error instanceof NoAnswer) || performance.now() > deadline) throw error;
      }
      await sleep(50);
    }
  }

  #begin(transaction: Transaction, space: string | undefined): { attempt: Attempt; known: Knowledge } {
    return {
      attempt: this.#shared.ledger.begin(transaction, space, this.#test),
      known: this.#shared.witness.knowledge(),
    };
  }

  async #settle(sent: Promise<HttpAnswer>, attempt: Attempt, known: Knowledge): Promise<CommitAnswer> {
    let answer: CommitAnswer;
    try {
      answer = decodeCommit(await sent, attempt.transaction);
    } catch (error) {
      this.#shared.ledger.settle(attempt, { kind: 'unknown' });
      if (!(error instanceof NoAnswer)) throw error;
      answer = { kind: 'unavailable', httpStatus: undefined, why: error.message };
    }
    this.#transcript.note(
      'client',
      () => `commit ${showTransaction(attempt.transaction)} -> ${showAnswer(answer)}`,
    );
    this.#shared.ledger.settle(attempt, outcomeOf(answer, attempt.transaction));
    this.#learn(answer, attempt.transaction, known);
    return answer;
  }

  #learn(answer: CommitAnswer, sent: Transaction | undefined, known: Knowledge): void {
    const { witness, saw } = this.#shared;
    const by = 'a commit answer';
    if (answer.kind === 'not_committed') {
      saw('COMMIT-NOT-COMMITTED-CODE', `${answer.httpStatus}`);
      const { committed } = known;
      if (answer.version < committed.version)
        throw new Violation(
          'COMMIT-ANSWER-RETRY-VERSION',
          `a not_committed answer gave version ${answer.version} to retry with, although ${committed.version} was known to be committed (by ${committed.by}) before the request was sent`,
        );
      witness.learnRetryVersion(answer.version, answer.leaderId);
      witness.learnLeader(answer.leaderId, known, by);
    }
    if (answer.kind !== 'committed') return;
    const isReplay = this.#isReplay(sent, answer.version);
    if (!isReplay && sent !== undefined && answer.leaderId !== sent.leaderId)
      throw new Violation(
        witness.knowsLeader(sent.leaderId) ? 'COMMIT-ANSWER-LEADER' : 'COMMIT-LEADER-CHANGED',
        `a commit that named leader ${sent.leaderId} was committed, and the answer names leader ${answer.leaderId}`,
      );
    if (!isReplay) witness.checkNewVersion(answer.version, answer.leaderId, known);
    witness.learnTransaction(answer.version, by, 'VERSION-NOT-BEHIND');
    if (!isReplay) witness.learnLeader(answer.leaderId, known, by);
  }

  /** Whether the answer repeats that of an earlier request with the same request_id: some servers do. */
  #isReplay(sent: Transaction | undefined, version: bigint): boolean {
    if (sent?.requestId === undefined) return false;
    const attempts = this.#shared.ledger.byRequestId(sent.requestId);
    return (
      attempts.length > 1 &&
      (attempts.some(({ outcome }) => outcome?.kind === 'unknown') ||
        this.#shared.view.versionOf(sent.requestId) === version ||
        attempts.filter(({ outcome }) => outcome?.kind === 'committed' && outcome.version === version)
          .length > 1)
    );
  }
}

const never = (): Promise<never> => new Promise(() => undefined);

function outcomeOf(answer: CommitAnswer, sent: Transaction): Outcome {
  switch (answer.kind) {
    case 'committed':
      return { kind: answer.kind, version: answer.version, leaderId: answer.leaderId };
    case 'not_committed':
      return { kind: answer.kind, leaderChanged: answer.leaderId !== sent.leaderId };
    case 'refused':
      return { kind: answer.kind, status: answer.httpStatus };
    case 'unavailable':
      return { kind: 'unknown' };
  }
}

function showAnswer(answer: CommitAnswer): string {
  switch (answer.kind) {
    case 'committed':
      return `committed at ${answer.version}`;
    case 'not_committed':
      return `not_committed (${answer.httpStatus}), ${answer.conflicts.length} conflicts, version ${answer.version}`;
    case 'refused':
      return `refused (${answer.httpStatus})`;
    case 'unavailable':
      return `no outcome (${answer.why})`;
  }
}
