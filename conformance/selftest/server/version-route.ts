import type { Behaviour } from './behaviour.js';
import type { Disk } from './disk.js';
import type { Leader } from './leader.js';

/** The JSON of GET /v1/version (section 2.4). */
export class VersionRoute {
  readonly #behaviour: Behaviour;
  readonly #disk: Disk;
  readonly #leader: () => Leader;
  #snapshot: bigint;
  #asked = 0;

  constructor(behaviour: Behaviour, disk: Disk, leader: () => Leader) {
    this.#behaviour = behaviour;
    this.#disk = disk;
    this.#leader = leader;
    this.#snapshot = disk.durable;
  }

  /** The latest durable version as of the last renewal. */
  get snapshot(): bigint {
    return this.#snapshot;
  }

  renewSnapshot(): void {
    this.#snapshot = this.#disk.durable;
  }

  json(): unknown {
    const leader_id = this.#leaderId();
    const version = this.#behaviour.has('version-as-text') ? `${this.#version()}` : this.#version();
    return this.#behaviour.pick<unknown>(
      { version, leader_id },
      {
        'version-without-leader': { version },
        'version-in-another-field': { committed_version: version, leader_id },
        'version-as-bare-number': version,
      },
    );
  }

  #version(): bigint {
    const { durable, emptyVersion, records } = this.#disk;
    const isOfThisTerm = records.at(-1)?.leaderId === this.#leader().id;
    return this.#behaviour.pick(durable, {
      'version-from-a-cache': this.#snapshot,
      'version-lags-by-one': records.at(-1)?.prevVersion ?? durable,
      'version-is-the-next': durable + 1n,
      'version-is-accepted': this.#leader().lastAccepted,
      'version-forgotten-at-restart': isOfThisTerm ? durable : emptyVersion,
      'version-cut-to-32-bits': BigInt.asUintN(32, durable),
    });
  }

  #leaderId(): unknown {
    this.#asked += 1;
    const { id } = this.#leader();
    return this.#behaviour.pick<unknown>(id, {
      'version-names-leader-of-last-transaction': this.#disk.records.at(-1)?.leaderId ?? id,
      'version-asks-two-workers': this.#asked % 2 === 0 ? `${id}-b` : id,
      'version-names-a-node': 'node-1',
      'version-leader-empty': '',
      'leader-is-a-number': Number(id),
    });
  }
}
