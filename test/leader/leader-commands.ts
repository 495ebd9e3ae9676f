import fc from 'fast-check';

/**
 * How many accepted transactions ago a version was issued, so that reads are about as old as what they may conflict
 * with; -1 is a version ahead of the log.
 */
export type Age = number;

export interface PlannedRead {
  readonly begin: string;
  /** Absent in a point read. */
  readonly end: string | undefined;
  /** The read version of the transaction if absent. */
  readonly age: Age | undefined;
}

export interface PlannedTransaction {
  /** One of the few IDs in use; one that is never used again if absent. */
  readonly id: number | undefined;
  /** How many terms ago the leader led that the client expects. */
  readonly termsAgo: number;
  readonly age: Age;
  readonly reads: readonly PlannedRead[];
  readonly writes: readonly string[];
}

export type Held = 'searches' | 'findings' | 'starts';

export type Command =
  | { readonly type: 'submit'; readonly transactions: readonly PlannedTransaction[] }
  /** The commit that was sent so many commits ago comes once more, as if the network had doubled it. */
  | { readonly type: 'repeat'; readonly back: number }
  | { readonly type: 'sync'; readonly batches: number }
  /** The log fails, if a term is open. */
  | { readonly type: 'fail' }
  /** Lets so many microtasks run. */
  | { readonly type: 'step'; readonly microtasks: number }
  /** Lets everything run that can. */
  | { readonly type: 'settle' }
  | { readonly type: 'status'; readonly id: number; readonly age: Age }
  /** Calls of the log wait, go on, or one that waits fails. */
  | { readonly type: 'hold' | 'release' | 'break'; readonly what: Held }
  | { readonly type: 'subscribe'; readonly age: Age | undefined; readonly durable: boolean }
  | { readonly type: 'truncate'; readonly segments: number };

export interface Settings {
  readonly maxInFlight: number;
  readonly maxFences: number;
  /** How far conflict detection looks back. */
  readonly windowVersions: number;
  readonly requestIdWindowVersions: number;
}

export interface Scenario {
  readonly settings: Settings;
  readonly commands: readonly Command[];
  /** Whether the leader stops in the middle of everything, or when it has calmed down. */
  readonly stop: 'at once' | 'calm';
}

/** The bounds of range reads; the last one is above all keys. */
const LETTERS = ['a', 'b', 'c', 'd', 'e'];

const key = fc.constantFrom(...LETTERS.slice(0, -1));
const id = fc.nat({ max: 4 });
const age: fc.Arbitrary<Age> = fc.oneof(
  { weight: 30, arbitrary: fc.nat({ max: 3 }) },
  { weight: 10, arbitrary: fc.nat({ max: 12 }) },
  { weight: 1, arbitrary: fc.constant(-1) },
);

const read: fc.Arbitrary<PlannedRead> = fc.oneof(
  fc.record({ begin: key, end: fc.constant(undefined), age: fc.option(age, { nil: undefined }) }),
  fc
    .record({
      bounds: fc.subarray(LETTERS, { minLength: 2, maxLength: 2 }),
      age: fc.option(age, { nil: undefined }),
    })
    .map(({ bounds, age }) => ({ begin: bounds[0]!, end: bounds[1]!, age })),
);

const transaction: fc.Arbitrary<PlannedTransaction> = fc.record({
  id: fc.option(id, { nil: undefined, freq: 2 }),
  termsAgo: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  age,
  reads: fc.array(read, { maxLength: 2, size: 'max' }),
  writes: fc.array(key, { maxLength: 2, size: 'max' }),
});

const slowCalls = fc.oneof(
  { weight: 3, arbitrary: fc.constant('searches' as const) },
  { weight: 3, arbitrary: fc.constant('findings' as const) },
  { weight: 1, arbitrary: fc.constant('starts' as const) },
);

const typed = <Type extends Command['type']>(type: Type) => fc.constant(type);

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: typed('submit'),
      transactions: fc.array(transaction, { minLength: 1, maxLength: 4, size: 'max' }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: typed('repeat'), back: fc.nat({ max: 20 }) }) },
  { weight: 7, arbitrary: fc.record({ type: typed('sync'), batches: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ type: typed('fail') }) },
  { weight: 4, arbitrary: fc.record({ type: typed('step'), microtasks: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 5, arbitrary: fc.record({ type: typed('settle') }) },
  { weight: 4, arbitrary: fc.record({ type: typed('status'), id, age }) },
  { weight: 2, arbitrary: fc.record({ type: typed('hold'), what: slowCalls }) },
  { weight: 3, arbitrary: fc.record({ type: typed('release'), what: slowCalls }) },
  { weight: 1, arbitrary: fc.record({ type: typed('break'), what: slowCalls }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: typed('subscribe'),
      age: fc.option(age, { nil: undefined }),
      durable: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: typed('truncate'), segments: fc.integer({ min: 1, max: 3 }) }) },
);

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  settings: fc.record({
    maxInFlight: fc.constantFrom(3, 20),
    maxFences: fc.constantFrom(1, 3, 100),
    windowVersions: fc.constantFrom(5, 1000),
    requestIdWindowVersions: fc.constantFrom(2, 1000),
  }),
  commands: fc.array(command, { maxLength: 80, size: 'max' }),
  stop: fc.constantFrom('at once', 'calm'),
});
