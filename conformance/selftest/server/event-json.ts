import type { Behaviour } from './behaviour.js';
import { type Base64Encoder, eventBase64Encoder } from './bytes.js';
import type { LogRecord, Operation } from './record.js';

export type Json = Readonly<Record<string, unknown>>;

const seconds = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z');

/** The JSON of events (sections 6.1 and 6.2). */
export class EventJson {
  readonly #behaviour: Behaviour;
  readonly #base64: Base64Encoder;
  readonly #currentLeader: () => string;

  constructor(behaviour: Behaviour, currentLeader: () => string) {
    this.#behaviour = behaviour;
    this.#base64 = eventBase64Encoder(behaviour);
    this.#currentLeader = currentLeader;
  }

  /**
   * @param previouslySent the version that the same stream was sent before, for a server that confuses it
   * @param isFirst whether it is the first transaction of its stream
   */
  transaction(record: LogRecord, previouslySent: bigint, isFirst: boolean): Json {
    const shift = this.#behaviour.has('event-versions-count-from-zero') ? 1n : 0n;
    const json = {
      request_id: this.#requestId(record.requestId),
      version: record.version - shift,
      prev_version: this.#behaviour.pick(record.prevVersion - shift, {
        'prev-version-of-previously-sent': previouslySent,
        'prev-version-of-first-event-zero': isFirst ? 0n : record.prevVersion - shift,
        'prev-version-is-one-less': record.version - 1n,
      }),
      timestamp: this.#timestamp(record.timestamp),
      leader_id: this.#behaviour.has('event-names-current-leader')
        ? this.#currentLeader()
        : this.#leader(record.leaderId),
      operations: this.#behaviour.has('event-operations-as-text')
        ? JSON.stringify(record.operations.map((one) => this.#operation(one)))
        : record.operations.map((one) => this.#operation(one)),
      ...(this.#behaviour.has('extra-fields') ? { shard: 7, trace: { id: 'a1' } } : {}),
    };
    const { timestamp: _timestamp, ...withoutTimestamp } = json;
    const { prev_version: _prevVersion, ...withoutPrevVersion } = json;
    return this.#behaviour.pick<Json>(json, {
      'event-without-timestamp': withoutTimestamp,
      'event-without-prev-version': withoutPrevVersion,
      'event-inside-an-envelope': { transaction: json },
    });
  }

  checkpoint(version: bigint, leaderId: string): Json {
    const committed_version = this.#behaviour.has('checkpoint-version-as-text') ? `${version}` : version;
    const leader_id = this.#leader(this.#behaviour.has('checkpoint-names-a-node') ? 'node-1' : leaderId);
    return this.#behaviour.pick<Json>(
      { committed_version, leader_id, ...(this.#behaviour.has('extra-fields') ? { lag: 0 } : {}) },
      {
        'checkpoint-without-leader': { committed_version },
        'checkpoint-version-in-another-field': { version: committed_version, leader_id },
        'checkpoint-leader-empty': { committed_version, leader_id: '' },
      },
    );
  }

  #requestId(id: string): string | null {
    return this.#behaviour.pick<string | null>(id, {
      'event-request-id-lower-cased': id.toLowerCase(),
      'event-request-id-cut': id.slice(0, 32),
      'event-request-id-percent-encoded': encodeURIComponent(id),
    });
  }

  #leader(id: string): string | number {
    return this.#behaviour.has('leader-is-a-number') ? Number(id) : id;
  }

  #timestamp(time: Date): string | number {
    return this.#behaviour.pick<string | number>(time.toISOString(), {
      'timestamp-of-delivery': new Date().toISOString(),
      'timestamp-in-milliseconds': time.getTime(),
      'timestamp-without-milliseconds': seconds(time),
      'timestamp-with-offset': new Date(time.getTime() + 7_200_000).toISOString().replace('Z', '+02:00'),
      'timestamp-without-zone': time.toISOString().replace('Z', ''),
    });
  }

  #operation(operation: Operation): Json {
    const { type } = operation;
    if (this.#behaviour.has('operations-of-another-shape')) {
      return type === 'range_delete'
        ? { clear: [this.#base64(operation.begin), this.#base64(operation.end)] }
        : { k: this.#base64(operation.key), v: type === 'write' ? this.#base64(operation.value) : null };
    }
    const extra = this.#behaviour.has('extra-fields') ? { index: 1 } : {};
    switch (type) {
      case 'write':
        return { type, key: this.#base64(operation.key), value: this.#base64(operation.value), ...extra };
      case 'delete':
        return { type, key: this.#base64(operation.key), ...extra };
      case 'range_delete':
        return { type, begin: this.#base64(operation.begin), end: this.#base64(operation.end), ...extra };
    }
  }
}
