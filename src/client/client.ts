import { commit } from './commit.js';
import { Http, type HttpOptions } from './http.js';
import { Retention } from './retention.js';
import { requestStatus } from './status.js';
import { Subscription } from './subscription.js';
import { type Transacted, type Transaction, type TransactOptions, transact } from './transact.js';
import type {
  CommitOptions,
  CommitRequest,
  CommitResult,
  RequestOptions,
  RequestStatus,
  RetentionPolicy,
  SubscribeOptions,
  SubscriptionEvent,
  TransactionEvent,
  VersionInfo,
} from './types.js';
import { latestVersion } from './version.js';

/** `url` is the base address of the service, for example `http://127.0.0.1:8080`. */
export type HeadwaterClientOptions = HttpOptions;

/**
 * A client of the write-side log service. Keys and values are bytes; a string stands for its UTF-8 form. It
 * keeps no state between calls and may be shared. Failures are `HeadwaterError`s with a `kind`; an aborted
 * signal makes a call reject with the signal's reason.
 */
export class HeadwaterClient {
  readonly #http: Http;
  readonly #retention: Retention;

  constructor(options: HeadwaterClientOptions) {
    this.#http = new Http(options);
    this.#retention = new Retention(this.#http);
  }

  /** A version that is at least as new as every commit answered before the call, and its leader. */
  version(options: RequestOptions = {}): Promise<VersionInfo> {
    return latestVersion(this.#http, options);
  }

  /**
   * Commits one transaction. No request is ever sent twice under the same request ID: when no reply comes,
   * the outcome is asked for until the server tells it or `signal` aborts; when the server refuses the
   * request before accepting it, the transaction is sent again under a new ID.
   * @throws {IndeterminateError} when it may or may not have been committed: the only such error of this call
   * @throws {CommitLostError} when no reply came and it was not committed
   * @throws {ReplyError} when the server refused it, and it was not committed
   */
  commit(request: CommitRequest, options: CommitOptions = {}): Promise<CommitResult> {
    return commit(this.#http, request, options);
  }

  /**
   * Runs `build` with a transaction to fill, and commits it; when it was not committed, runs `build` again
   * with a newer read version. `build` therefore should do nothing but read at `readVersion` and fill the
   * transaction.
   * @throws {ContendedError} when it was not committed in any round
   * @throws what `commit` throws, but for `CommitLostError`, which is one more reason for a new round
   */
  transact<T>(
    build: (transaction: Transaction) => T | Promise<T>,
    options: TransactOptions = {},
  ): Promise<Transacted<T>> {
    return transact(this.#http, build, options);
  }

  /**
   * The final outcome of an earlier commit; guarantees that the commit is no longer in flight. Expensive:
   * meant for commits that had no reply, and `commit` does it by itself.
   * @param minVersion a version known to be committed before the commit was sent
   */
  status(requestId: string, minVersion: number, options: RequestOptions = {}): Promise<RequestStatus> {
    return requestStatus(this.#http, requestId, minVersion, options);
  }

  /**
   * Streams the log. Lost connections are resumed for ever, with backoff, until the signal aborts or the
   * iteration is left. With `durable: false` consumers have to obey `discard` events.
   * @throws (while iterating) {TruncatedError} when the log no longer holds what comes next
   * @throws (while iterating) {GapError} when the server leaves out or repeats a transaction persistently
   * @throws (while iterating) {RefusedError} {ProtocolError}
   */
  subscribe(options?: SubscribeOptions & { readonly durable?: true }): Subscription<TransactionEvent>;
  subscribe(options: SubscribeOptions): Subscription;
  subscribe(options: SubscribeOptions = {}): Subscription<SubscriptionEvent> {
    return new Subscription(this.#http, options);
  }

  /**
   * Creates or moves a policy; answered once it is durable.
   * @param preventTruncate the log is not truncated at this version or any higher one
   * @throws {TruncatedError} when it already is
   */
  setRetention(
    policyId: string,
    preventTruncate: number,
    options: RequestOptions = {},
  ): Promise<'created' | 'updated'> {
    return this.#retention.set(policyId, preventTruncate, options);
  }

  /** The policy's `preventTruncate`; undefined when there is no such policy. */
  getRetention(policyId: string, options: RequestOptions = {}): Promise<number | undefined> {
    return this.#retention.get(policyId, options);
  }

  listRetention(options: RequestOptions = {}): Promise<RetentionPolicy[]> {
    return this.#retention.list(options);
  }

  /** Removes a policy; that there is none is no error. */
  deleteRetention(policyId: string, options: RequestOptions = {}): Promise<void> {
    return this.#retention.delete(policyId, options);
  }
}
