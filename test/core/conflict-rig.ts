import assert from 'node:assert/strict';
import { Core } from '../../src/core/core.js';
import type { BatchDecision, Decider, DeciderOptions } from '../../src/core/decider.js';
import { TransactionPacker } from '../../src/core/transaction-packer.js';
import { boundedDecider } from './bounded-decider.js';
import { ConflictModel, type Transaction } from './conflict-model.js';

export interface ConflictRigOptions extends Partial<DeciderOptions> {
  /** Versions start here. */
  readonly firstVersion?: number;
}

/** A decider and the model of its conflict set, which get the same transactions and must say the same. */
export class ConflictRig {
  readonly decider: Decider;
  model: ConflictModel;
  /** The version of the last transaction that committed. */
  version: number;
  committed = 0;
  refused = 0;
  readonly #packer: TransactionPacker;

  constructor(options: ConflictRigOptions = {}) {
    const floor = options.floor ?? 0;
    const windowVersions = options.windowVersions ?? 1000;
    const core = Core.load();
    this.#packer = new TransactionPacker(core);
    this.decider = boundedDecider(core, {
      windowVersions,
      conflictBytesMax: options.conflictBytesMax ?? 2 ** 26,
      floor,
    });
    this.model = new ConflictModel(windowVersions, floor);
    this.version = (options.firstVersion ?? floor + 1) - 1;
  }

  /** Decides a batch with both and compares the outcomes. The model's window must be the only floor. */
  decide(batch: readonly Transaction[]): BatchDecision {
    const first = this.version + 1;
    const decision = this.#decideAlone(batch);
    let next = first;
    const expected = batch.map((transaction) => {
      const conflict = this.model.decide(transaction, next);
      if (conflict === undefined) next += 1;
      return conflict;
    });
    assert.deepEqual(decision.conflicts, expected);
    assert.equal(this.version, next - 1);
    assert.equal(this.decider.floor, this.model.floor);
    return decision;
  }

  /** The same for one transaction after which the decider may have forgotten more than the window says. */
  decideShortOfMemory(transaction: Transaction): void {
    const decision = this.#decideAlone([transaction]);
    const expected = this.model.decide(transaction, this.version);
    assert.deepEqual(decision.conflicts, [expected]);
    assert.ok(this.decider.floor >= this.model.floor);
    assert.ok(this.decider.floor <= this.version);
    this.model.raiseFloor(this.decider.floor);
  }

  /** Starts the history anew at the newest version. */
  reset(): void {
    this.decider.reset(this.version);
    this.model = new ConflictModel(this.model.windowVersions, this.version);
  }

  pack(transaction: Transaction): Uint8Array {
    const packer = this.#packer;
    packer.reset();
    for (const read of transaction.reads) {
      if (read.kind === 'point') packer.pointRead(read.version, read.key);
      else packer.rangeRead(read.version, read.begin, read.end);
    }
    for (const write of transaction.writes) {
      if (write.kind === 'write') packer.write(write.key, write.value);
      else if (write.kind === 'delete') packer.delete(write.key);
      else packer.rangeDelete(write.begin, write.end);
    }
    return packer.finish('request');
  }

  #decideAlone(batch: readonly Transaction[]): BatchDecision {
    const decision = this.decider.decide(
      batch.map((transaction) => this.pack(transaction)),
      { firstVersion: this.version + 1, prevVersion: this.version, durableVersion: 0, timestampMs: 0 },
    );
    const refused = decision.conflicts.filter((conflict) => conflict !== undefined).length;
    this.version += batch.length - refused;
    this.committed += batch.length - refused;
    this.refused += refused;
    return decision;
  }
}
