import type { Behaviour } from './behaviour.js';

/** The settings of a server. */
export interface Limits {
  readonly maxCommitBytes: number;
  /** In characters (Unicode code points). */
  readonly minRequestIdLength: number;
  /** Silence after which a keepalive is sent, and within which a client may count on one. */
  readonly keepaliveMs: number;
  readonly keepaliveTimeoutMs: number;
  readonly subscriberBufferBytes: number;
  /** How long it takes until an accepted transaction is durable, at least and at most. */
  readonly durableMs: readonly [number, number];
  /** Truncates by itself when it holds more transactions; undefined: only on demand. */
  readonly truncationKeeps: number | undefined;
  readonly truncationEveryMs: number;
}

const PLAIN: Limits = {
  maxCommitBytes: 65_536,
  minRequestIdLength: 20,
  keepaliveMs: 300,
  keepaliveTimeoutMs: 1500,
  subscriberBufferBytes: 262_144,
  durableMs: [1, 2],
  truncationKeeps: undefined,
  truncationEveryMs: 50,
};

export function limitsOf(behaviour: Behaviour): Limits {
  return {
    ...PLAIN,
    ...behaviour.pick<Partial<Limits>>(
      {},
      {
        'other-limits': {
          maxCommitBytes: 10_000,
          minRequestIdLength: 36,
          keepaliveMs: 100,
          keepaliveTimeoutMs: 800,
          subscriberBufferBytes: 65_536,
        },
        'slow-durability': { durableMs: [140, 150] },
        'uneven-durability': { durableMs: [0, 40] },
        'keepalive-often': { keepaliveMs: 10 },
        'truncation-by-itself': { truncationKeeps: 200 },
        'truncation-all-the-time': { truncationKeeps: 50, truncationEveryMs: 2 },
      },
    ),
  };
}
