import { commit } from './commit.js';
import { CommitLostError, ContendedError } from './errors.js';
import type { Http } from './http.js';
import type {
  Bytes,
  CommitOptions,
  CommitResult,
  Committed,
  Operation,
  Precondition,
  VersionInfo,
} from './types.js';
import { latestVersion } from './version.js';

/** Collects what one transaction read and what it changes. Versions default to `readVersion`. */
export class Transaction {
  /** The version that the reads of this attempt are to be made at. */
  readonly readVersion: number;
  readonly leaderId: string;
  readonly preconditions: Precondition[] = [];
  readonly operations: Operation[] = [];

  constructor({ version, leaderId }: VersionInfo) {
    this.readVersion = version;
    this.leaderId = leaderId;
  }

  pointRead(key: Bytes, version = this.readVersion): this {
    this.preconditions.push({ type: 'point_read', key, version });
    return this;
  }

  rangeRead(begin: Bytes, end: Bytes, version = this.readVersion): this {
    this.preconditions.push({ type: 'range_read', begin, end, version });
    return this;
  }

  write(key: Bytes, value: Bytes): this {
    this.operations.push({ type: 'write', key, value });
    return this;
  }

  delete(key: Bytes): this {
    this.operations.push({ type: 'delete', key });
    return this;
  }

  rangeDelete(begin: Bytes, end: Bytes): this {
    this.operations.push({ type: 'range_delete', begin, end });
    return this;
  }
}

export interface TransactOptions extends CommitOptions {
  /** How often to run the function before giving up. Default 10. */
  readonly rounds?: number;
  /** Where the first round reads. Default: the latest committed version, which costs a request. */
  readonly readAt?: VersionInfo;
}

/** An attempt that certainly changed nothing. */
export interface FailedRound {
  readonly requestId: string;
  /** `lost`: no reply came, and the server says that it has not committed the request. */
  readonly outcome: 'not_committed' | 'lost';
}

export interface Transacted<T> extends Committed {
  /** What the function returned in the round that was committed. */
  readonly value: T;
  readonly failedRounds: readonly FailedRound[];
}

/** Runs a transaction until it commits; see `HeadwaterClient.transact`. */
export async function transact<T>(
  http: Http,
  build: (transaction: Transaction) => T | Promise<T>,
  options: TransactOptions = {},
): Promise<Transacted<T>> {
  const { rounds = 10, signal } = options;
  const failedRounds: FailedRound[] = [];
  let readAt = options.readAt;
  while (failedRounds.length < rounds) {
    readAt ??= await latestVersion(http, options);
    const transaction = new Transaction(readAt);
    const value = await build(transaction);
    const result = await commitRound(http, transaction, options);
    if (result.status === 'committed') return { ...result, value, failedRounds };
    // After a loss the leader has most likely changed, and only the server knows the new one.
    readAt = result.status === 'lost' ? undefined : result;
    failedRounds.push({ requestId: result.requestId, outcome: result.status });
    if (failedRounds.length < rounds) await http.pause(failedRounds.length - 1, undefined, signal);
  }
  throw new ContendedError(rounds);
}

async function commitRound(
  http: Http,
  transaction: Transaction,
  options: CommitOptions,
): Promise<CommitResult | { readonly status: 'lost'; readonly requestId: string }> {
  try {
    return await commit(http, transaction, options);
  } catch (error) {
    if (error instanceof CommitLostError) return { status: 'lost', requestId: error.requestId };
    throw error;
  }
}
