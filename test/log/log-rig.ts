import { FileLog, type FileLogOptions } from '../../src/log/file/file-log.js';
import type { LogEvent } from '../../src/log/file/notify.js';
import { LogError, type LogErrorKind, type RecordBlock, type TermStart } from '../../src/log/log.js';
import { Random } from '../support/random.js';
import { SimulatedDisk } from '../support/simulated-disk.js';
import { BatchMaker, type BatchOptions } from './batch-maker.js';

export const DIRECTORY = '/log';
export const LEADER = 'leader';

export interface Notice {
  readonly event: LogEvent;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** A file log on a simulated disk, with a leader's part played by the test. */
export class LogRig {
  readonly disk: SimulatedDisk;
  readonly notices: readonly Notice[];
  readonly durable: number[] = [];
  readonly failures: Error[] = [];
  log: FileLog;
  start: TermStart | undefined;
  #maker: BatchMaker;
  #lastVersion = 0;
  #prevVersion = 0;
  #leaders = 0;

  private constructor(disk: SimulatedDisk, log: FileLog, notices: Notice[]) {
    this.disk = disk;
    this.log = log;
    this.notices = notices;
    this.#maker = new BatchMaker(log.hashKey);
    log.observe({
      durable: (version) => this.durable.push(version),
      failed: (error) => this.failures.push(error),
      synced: () => undefined,
    });
  }

  /** Opens the log that is on the disk, as a new process. */
  static async open(
    disk = new SimulatedDisk(new Random(1)),
    options: Partial<FileLogOptions> = {},
  ): Promise<LogRig> {
    const notices: Notice[] = [];
    const log = await FileLog.open({
      directory: DIRECTORY,
      disk: disk.attach(),
      segmentBytes: 16384,
      notify: (event, fields) => notices.push({ event, fields }),
      ...options,
    });
    return new LogRig(disk, log, notices);
  }

  /** As `open`, and starts a term. */
  static async started(...options: Parameters<typeof LogRig.open>): Promise<LogRig> {
    const rig = await LogRig.open(...options);
    await rig.startTerm();
    return rig;
  }

  async startTerm(maxInFlight = 100): Promise<TermStart> {
    this.#leaders += 1;
    const leaderId = `${LEADER}-${this.#leaders}`;
    this.start = await this.log.startTerm({ leaderId, maxInFlight, nowMs: 1_700_000_000_000 });
    this.#lastVersion = this.start.versionCeiling;
    this.#prevVersion = this.start.lastVersion;
    return this.start;
  }

  /** Appends a batch that continues the log. Does not wait. */
  append(options: Partial<BatchOptions> = {}): number {
    const batch = this.#maker.make({
      firstVersion: this.#lastVersion + 1,
      prevVersion: this.#prevVersion,
      durableVersion: Math.min(this.durable.at(-1) ?? this.start!.lastVersion, this.#lastVersion),
      ...options,
    });
    this.log.append(batch);
    this.#lastVersion = batch.lastVersion;
    this.#prevVersion = batch.lastVersion;
    return batch.lastVersion;
  }

  /** Appends a batch and waits until it is durable, or the term has failed. */
  async commit(options: Partial<BatchOptions> = {}): Promise<number> {
    const version = this.append(options);
    await until(() => this.durable.at(-1) === version || this.failures.length > 0);
    return version;
  }

  /** The process dies; a new one opens the same directory. */
  async reopen(options: Partial<FileLogOptions> = {}): Promise<LogRig> {
    this.disk.kill();
    return await LogRig.open(this.disk, options);
  }

  /** Versions of everything that can be read, in order. */
  async versions(): Promise<number[]> {
    const versions: number[] = [];
    for await (const block of blocks(this.log)) {
      for (let version = block.firstVersion; version <= block.lastVersion; version += 1)
        versions.push(version);
    }
    return versions;
  }

  /** Names of the log's files. */
  names(): string[] {
    return [...this.disk.files().keys()].map((path) => path.slice(DIRECTORY.length + 1)).sort();
  }

  events(): LogEvent[] {
    return this.notices.map(({ event }) => event);
  }
}

/** Everything that can be read, block by block. */
export async function* blocks(log: FileLog): AsyncIterable<RecordBlock> {
  let after = log.truncatedThrough;
  for (let block = await log.read(after); block !== undefined; block = await log.read(after)) {
    yield block;
    after = block.lastVersion;
  }
}

/** Lets the event loop turn until something holds; the test's own time limit ends it otherwise. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** For `assert.rejects`. */
export function isLogError(kind: LogErrorKind, text: RegExp = /./): (error: unknown) => boolean {
  return (error) => error instanceof LogError && error.kind === kind && text.test(error.message);
}
