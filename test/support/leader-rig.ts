import { Core } from '../../src/core/core.js';
import { Decider } from '../../src/core/decider.js';
import type { RecordBatch } from '../../src/core/record-batch.js';
import { TransactionPacker } from '../../src/core/transaction-packer.js';
import type { CommitAnswer, CommitOutcome, CommitPort, CommitRequest } from '../../src/leader/commit.js';
import { Leader, type LeaderObserver, type LeaderOptions } from '../../src/leader/leader.js';
import { MemoryLog } from './memory-log.js';

export type Read =
  | { readonly key: string; readonly version?: number }
  | { readonly begin: string; readonly end: string; readonly version?: number };

export interface Transaction {
  readonly id?: string;
  readonly leaderId?: string;
  readonly readVersion?: number;
  readonly reads?: readonly Read[];
  readonly writes?: readonly string[];
}

const utf8 = new TextEncoder();

/** A leader on a log in memory, with short ways to send it transactions and to see what it answers. */
export class LeaderRig {
  readonly log: MemoryLog;
  readonly decider: Decider;
  readonly leader: Leader;
  readonly answers = new Map<number, CommitOutcome>();
  readonly events: string[] = [];
  readonly accepted: RecordBatch[] = [];
  nowMs = 1_000_000;
  readonly #packer: TransactionPacker;
  readonly #port: CommitPort;
  #tag = 0;
  #terms = 0;

  /** @param feed is told of everything before it is noted here. */
  constructor(
    options: Partial<LeaderOptions> & { windowVersions?: number } = {},
    log = new MemoryLog(),
    feed?: Pick<LeaderObserver, 'termStarted' | 'accepted' | 'durable' | 'termEnded'>,
  ) {
    this.log = log;
    const core = Core.load();
    this.#packer = new TransactionPacker(core);
    this.decider = new Decider(Core.load(), {
      windowVersions: options.windowVersions ?? 1000,
      conflictBytesMax: 1 << 24,
      floor: 0,
    });
    const observer: LeaderObserver = {
      termStarted: (leaderId, version) => {
        feed?.termStarted(leaderId, version);
        this.events.push(`started ${leaderId} at ${version}`);
      },
      accepted: (batch, leaderId) => {
        feed?.accepted(batch, leaderId);
        this.accepted.push(batch);
        this.events.push(`accepted ${batch.firstVersion}-${batch.lastVersion}`);
      },
      durable: (version, leaderId) => {
        feed?.durable(version, leaderId);
        this.events.push(`durable ${version}`);
      },
      termEnded: (leaderId) => {
        feed?.termEnded(leaderId);
        this.events.push(`ended ${leaderId}`);
      },
      termDelayed: () => this.events.push('delayed'),
      answered: () => undefined,
      synced: () => undefined,
    };
    this.leader = new Leader(log, this.decider, observer, {
      maxInFlight: 100,
      maxInFlightBytes: 1 << 24,
      requestIdWindowVersions: 1000,
      maxFences: 100,
      now: () => this.nowMs,
      newLeaderId: () => `leader-${++this.#terms}`,
      delay: () => new Promise((resolve) => setImmediate(resolve)),
      ...options,
    });
    this.#port = this.leader.openPort((answers: readonly CommitAnswer[]) => {
      for (const { tag, outcome } of answers) {
        if (this.answers.has(tag)) throw new Error(`request ${tag} was answered twice`);
        this.answers.set(tag, outcome);
      }
    });
  }

  static async started(...options: ConstructorParameters<typeof LeaderRig>): Promise<LeaderRig> {
    const rig = new LeaderRig(...options);
    await rig.leader.start();
    return rig;
  }

  request(transaction: Transaction): CommitRequest {
    const { reads = [], writes = [] } = transaction;
    const readVersion = transaction.readVersion ?? this.leader.latest?.version ?? 0;
    const requestId = transaction.id ?? `request-${this.#tag}-of-this-test`;
    let highestVersion = readVersion;
    this.#packer.reset();
    for (const read of reads) {
      const version = read.version ?? readVersion;
      highestVersion = Math.max(highestVersion, version);
      if ('key' in read) this.#packer.pointRead(version, utf8.encode(read.key));
      else this.#packer.rangeRead(version, utf8.encode(read.begin), utf8.encode(read.end));
    }
    for (const key of writes) this.#packer.write(utf8.encode(key), utf8.encode('value'));
    return {
      tag: this.#tag++,
      requestId,
      leaderId: transaction.leaderId ?? this.leader.latest?.leaderId ?? '',
      readVersion,
      highestVersion,
      transaction: this.#packer.finish(requestId),
    };
  }

  /** Submits all in one batch; the outcomes are in `answers` under the tags returned. */
  submit(...transactions: readonly Transaction[]): number[] {
    const requests = transactions.map((transaction) => this.request(transaction));
    this.#port.submit(requests);
    return requests.map(({ tag }) => tag);
  }

  /** Submits a request that the test made, or changed, itself. */
  submitRequest(request: CommitRequest): number {
    this.#port.submit([request]);
    return request.tag;
  }

  /** Submits one, makes everything durable, and returns its outcome. */
  commit(transaction: Transaction): CommitOutcome {
    const [tag] = this.submit(transaction);
    this.log.sync();
    const outcome = this.answers.get(tag!);
    if (outcome === undefined) throw new Error('there is no answer yet');
    return outcome;
  }
}

/** Lets everything that is ready to run do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits for a condition that needs turns of the event loop, not time. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn += 1) {
    if (turn > 100_000) throw new Error(`never came true: ${condition}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
