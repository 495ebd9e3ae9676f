import assert from 'node:assert/strict';
import { Core } from '../../src/core/core.js';
import { decodeRecord } from '../../src/core/decode.js';
import { FileLog } from '../../src/log/file/file-log.js';
import { verifyLog } from '../../src/log/file/verify.js';
import { LogError } from '../../src/log/log.js';
import type { Random } from '../support/random.js';
import { type Operation, SimulatedDisk } from '../support/simulated-disk.js';
import { BatchMaker } from './batch-maker.js';

const DIRECTORY = '/log';
const MAX_IN_FLIGHT = 20;
const FAULTY: readonly Operation[] = [
  'create',
  'write',
  'sync',
  'truncate',
  'rename',
  'unlink',
  'syncDirectory',
];

/** What the simulation went through, to see that it does not test a calm sea. */
export interface Voyage {
  readonly appended: number;
  readonly durable: number;
  readonly lost: number;
  readonly terms: number;
  readonly failures: number;
  readonly kills: number;
  readonly powerCuts: number;
  readonly truncations: number;
}

/**
 * Plays a leader with a file log on a simulated disk, through appends, failing operations, kills, power cuts and
 * restarts at any point, and checks what a log promises: what was durable once stays, and stays the same; no
 * version stands for two transactions; every new term starts above everything ever appended; the chain has no hole.
 */
export class LogSimulation {
  readonly #random: Random;
  readonly #disk: SimulatedDisk;
  readonly #core = Core.load();
  readonly #maker = new BatchMaker(new Uint8Array(16));
  /** Every version ever appended, with the request ID that it was given. */
  readonly #issued = new Map<number, string>();
  /** Versions that were reported durable, or served, in order. */
  #promised: number[] = [];
  #log: FileLog | undefined;
  #termIsOpen = false;
  #failed = false;
  #lastVersion = 0;
  #prevVersion = 0;
  #faults = 0;
  #faultCode = 'EIO';
  #crashIn = 0;
  #crashed = false;
  #batches = 0;
  readonly #voyage = {
    appended: 0,
    durable: 0,
    lost: 0,
    terms: 0,
    failures: 0,
    kills: 0,
    powerCuts: 0,
    truncations: 0,
  };

  constructor(random: Random) {
    this.#random = random;
    this.#disk = new SimulatedDisk(random, 3);
    this.#disk.fault = (operation) => this.#fault(operation);
  }

  async run(steps: number): Promise<Voyage> {
    for (let step = 0; step < steps; step += 1) {
      if (this.#crashed) this.#log = undefined;
      if (this.#log === undefined) await this.#open();
      else if (!this.#termIsOpen) await this.#startTerm(this.#log);
      else await this.#step(this.#log);
    }
    // A last look, in fair weather.
    this.#faults = 0;
    this.#crashIn = 0;
    this.#disk.cutPower();
    await this.#open();
    await this.#verify();
    const lost = this.#issued.size - this.#promised.length;
    return { ...this.#voyage, durable: this.#promised.length, lost };
  }

  async #step(log: FileLog): Promise<void> {
    const dice = this.#random.fraction();
    if (dice < 0.6) this.#append(log);
    else if (dice < 0.75) await this.#turns(this.#random.below(40));
    else if (dice < 0.8) await this.#checkContent(log);
    else if (dice < 0.85) await this.#checkLookup(log);
    else if (dice < 0.89) this.#truncate(log);
    else if (dice < 0.93) this.#armFaults();
    else if (dice < 0.97) this.#crashIn = 1 + this.#random.below(30);
    else if (dice < 0.98) this.#crash();
    else if (dice < 0.99) await this.#startTerm(log);
    else await this.#close(log);
  }

  /** Opens the log, as a new process, and checks that nothing is missing. */
  async #open(): Promise<void> {
    this.#crashed = false;
    this.#failed = false;
    this.#termIsOpen = false;
    if (this.#random.chance(0.1)) await this.#verify();
    if (this.#random.chance(0.3)) this.#crashIn = 1 + this.#random.below(40);
    else if (this.#random.chance(0.1)) this.#armFaults();
    let log: FileLog;
    try {
      log = await FileLog.open({
        directory: DIRECTORY,
        disk: this.#disk.attach(),
        segmentBytes: 8192 + 1024 * this.#random.below(12),
        newHashKey: new Uint8Array(16),
        openFilesMax: 2 + this.#random.below(6),
      });
    } catch (error) {
      this.#expectStorage(error);
      this.#disk.kill();
      return;
    }
    log.observe({
      durable: (version) => this.#durable(log, version),
      failed: () => {
        if (log !== this.#log || this.#crashed) return;
        assert(!this.#failed, 'a failure is told once');
        this.#voyage.failures += 1;
        this.#failed = true;
        this.#termIsOpen = false;
      },
      synced: () => undefined,
    });
    this.#log = log;
    await this.#checkContent(log);
  }

  /** Whatever crash came before: nothing that `verify` finds is a problem. */
  async #verify(): Promise<void> {
    this.#faults = 0;
    this.#crashIn = 0;
    const { problems } = await verifyLog(DIRECTORY, () => undefined, this.#disk.attach());
    assert.deepEqual(problems, []);
  }

  async #startTerm(log: FileLog): Promise<void> {
    this.#termIsOpen = false;
    try {
      const options = { leaderId: `leader ${this.#voyage.terms}`, maxInFlight: MAX_IN_FLIGHT, nowMs: 1 };
      const { lastVersion, versionCeiling } = await log.startTerm(options);
      if (this.#crashed) return;
      const highest = Math.max(0, ...this.#issued.keys());
      assert(versionCeiling >= highest, `the term starts above ${versionCeiling}; ${highest} was issued`);
      await this.#checkContent(log);
      if (this.#crashed) return;
      assert.equal(lastVersion, this.#promised.at(-1) ?? 0, 'the last transaction that survives');
      this.#lastVersion = versionCeiling;
      this.#prevVersion = lastVersion;
      this.#termIsOpen = true;
      this.#failed = false;
      this.#voyage.terms += 1;
    } catch (error) {
      this.#expectStorage(error);
    }
  }

  #append(log: FileLog): void {
    const durable = Math.max(this.#promised.at(-1) ?? 0, 0);
    const room = this.#random.chance(0.1) ? MAX_IN_FLIGHT : 1 + this.#random.below(6);
    const inFlight = this.#lastVersion - Math.max(durable, this.#termFloor(log));
    const count = Math.min(room, MAX_IN_FLIGHT - inFlight);
    if (count <= 0) return;
    this.#batches += 1;
    const tag = `batch ${this.#batches}`;
    const batch = this.#maker.make({
      firstVersion: this.#lastVersion + 1,
      prevVersion: this.#prevVersion,
      durableVersion: durable,
      count,
      valueBytes: this.#random.chance(0.05) ? 20_000 : this.#random.below(900),
      requestId: (version) => `${tag}, version ${version}`,
    });
    for (let version = batch.firstVersion; version <= batch.lastVersion; version += 1) {
      assert(!this.#issued.has(version), `version ${version} is issued twice`);
      this.#issued.set(version, `${tag}, version ${version}`);
    }
    this.#voyage.appended += count;
    this.#lastVersion = batch.lastVersion;
    this.#prevVersion = batch.lastVersion;
    log.append(batch);
  }

  #termFloor(log: FileLog): number {
    const newest = log.segments().at(-1)!;
    return newest.firstVersion - 1;
  }

  #durable(log: FileLog, version: number): void {
    if (log !== this.#log || this.#crashed) return;
    assert(!this.#failed, 'nothing is reported durable behind a failure');
    const last = Math.max(this.#promised.at(-1) ?? 0, this.#termFloor(log));
    assert(version > (this.#promised.at(-1) ?? 0), 'durable versions grow');
    for (let next = last + 1; next <= version; next += 1) {
      if (this.#issued.has(next)) this.#promised.push(next);
    }
    assert.equal(this.#promised.at(-1), version);
  }

  /** Reads everything: what was promised is there, what is there was issued, the chain has no hole. */
  async #checkContent(log: FileLog): Promise<void> {
    const found: number[] = [];
    const after = log.truncatedThrough;
    let prevVersion = after;
    try {
      for (let block = await log.read(after); block !== undefined; block = await log.read(prevVersion)) {
        let offset = 0;
        while (offset < block.bytes.length) {
          const record = decodeRecord(this.#core, block.bytes, offset);
          assert.equal(record.requestId, this.#issued.get(record.version), `content of ${record.version}`);
          assert.equal(record.prevVersion, prevVersion, `the version before ${record.version}`);
          found.push(record.version);
          prevVersion = record.version;
          offset += record.length;
        }
        assert.equal(prevVersion, block.lastVersion);
      }
    } catch (error) {
      if (error instanceof LogError && error.kind === 'truncated' && log.truncatedThrough > after) return;
      this.#expectStorage(error);
      return;
    }
    if (this.#crashed || log !== this.#log) return;
    const promised = this.#promised.filter((version) => version > after);
    assert.deepEqual(found.slice(0, promised.length), promised, 'what was durable once is there');
    const extra = found.slice(promised.length);
    assert(extra.length === 0 || !this.#termIsOpen, 'only what is durable is served');
    // Served is promised, too.
    this.#promised.push(...extra);
  }

  async #checkLookup(log: FileLog): Promise<void> {
    const held = this.#promised.filter((version) => version > log.truncatedThrough);
    const version = held[this.#random.below(held.length)];
    if (version === undefined) return;
    try {
      const found = await log.findRequest(this.#issued.get(version)!, version);
      if (log.truncatedThrough >= version) return;
      assert.equal(found?.version, version, 'the durable transaction with this ID');
    } catch (error) {
      this.#expectStorage(error);
    }
  }

  #truncate(log: FileLog): void {
    if (!this.#random.chance(0.3)) return;
    this.#voyage.truncations += 1;
    log.truncate(1 + this.#random.below(2)).catch((error: unknown) => this.#expectStorage(error));
  }

  #armFaults(): void {
    this.#faults = 1 + this.#random.below(4);
    this.#faultCode = this.#random.chance(0.5) ? 'EIO' : 'ENOSPC';
  }

  async #close(log: FileLog): Promise<void> {
    this.#termIsOpen = false;
    try {
      await log.close();
    } catch (error) {
      this.#expectStorage(error);
    }
    // The process ends, whatever of it may still be running.
    this.#disk.kill();
    this.#log = undefined;
  }

  #crash(): void {
    this.#crashIn = 0;
    this.#crashed = true;
    if (this.#random.chance(0.3)) {
      this.#voyage.kills += 1;
      this.#disk.kill();
    } else {
      this.#voyage.powerCuts += 1;
      this.#disk.cutPower();
    }
  }

  #fault(operation: Operation): string | undefined {
    if (this.#crashIn > 0) {
      this.#crashIn -= 1;
      if (this.#crashIn === 0) this.#crash();
    }
    if (this.#faults === 0 || !FAULTY.includes(operation) || this.#random.chance(0.7)) return undefined;
    this.#faults -= 1;
    return this.#faultCode;
  }

  /** Nothing but a refusing disk may be the reason why something did not work: damage, above all, is none. */
  #expectStorage(error: unknown): void {
    const isExpected = error instanceof LogError && (error.kind === 'storage' || error.kind === 'closed');
    if (!isExpected) throw error;
  }

  async #turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
