import fc from 'fast-check';

/** Places in what is known are counted back from the newest: 0 is the newest. */
export type Back = number;

export interface CommitAction {
  readonly kind: 'commit';
  readonly reads: 'nothing' | 'its key' | 'all keys';
  /** At which of the known versions it reads. */
  readonly back: Back;
  readonly change: 'write' | 'delete' | 'range_delete';
  readonly key: number;
  /** Sent before: the very same request again. Asked for: an ID whose status was said to be unknown. */
  readonly request: 'new' | 'sent twice' | 'sent before' | 'asked for';
}

export type Action =
  | CommitAction
  | {
      readonly kind: 'status';
      readonly of: 'a commit' | 'a commit of this step' | 'nothing that was sent';
      readonly back: Back;
      readonly from: 'before it' | 'its version' | '0' | 'the newest version';
    }
  | { readonly kind: 'version' }
  | { readonly kind: 'read'; readonly back: Back; readonly durable: boolean; readonly inTwoParts: boolean }
  | { readonly kind: 'set policy'; readonly policy: number; readonly back: Back }
  | { readonly kind: 'delete policy'; readonly policy: number }
  | { readonly kind: 'get policy'; readonly policy: number }
  | { readonly kind: 'list policies' }
  | { readonly kind: 'truncate' };

/** Actions of several clients at the same time. */
export type Step = readonly Action[];

export const KEYS = 4;
export const POLICIES = 3;

const back = fc.nat({ max: 8 });
const policy = fc.nat({ max: POLICIES - 1 });

const commit: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('commit' as const),
  reads: fc.constantFrom('nothing', 'its key', 'all keys'),
  back: fc.oneof(fc.constant(0), back),
  change: fc.constantFrom('write', 'write', 'write', 'delete', 'range_delete'),
  key: fc.nat({ max: KEYS - 1 }),
  request: fc.constantFrom('new', 'new', 'new', 'new', 'sent twice', 'sent before', 'asked for'),
});

const actions: readonly fc.WeightedArbitrary<Action>[] = [
  { weight: 8, arbitrary: commit },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      of: fc.constantFrom('a commit', 'a commit of this step', 'nothing that was sent'),
      back,
      from: fc.constantFrom('before it', 'before it', 'its version', '0', 'the newest version'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('version' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      back,
      durable: fc.boolean(),
      inTwoParts: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set policy' as const), policy, back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete policy' as const), policy }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('get policy' as const), policy }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('list policies' as const) }) },
];

const truncate: fc.WeightedArbitrary<Action> = {
  weight: 3,
  arbitrary: fc.record({ kind: fc.constant('truncate' as const) }),
};

/** A case, with or without actions that truncate the log. */
export const steps = (truncating: boolean): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.array(fc.oneof(...actions, ...(truncating ? [truncate] : [])), { minLength: 1, maxLength: 4 }),
    {
      minLength: 1,
      maxLength: 12,
      size: 'max',
    },
  );

const place = (what: string, count: Back): string =>
  count === 0 ? `the newest ${what}` : `${what} ${count} back`;

const REQUESTS: Readonly<Record<CommitAction['request'], string>> = {
  new: '',
  'sent twice': ', sent twice at the same time',
  'sent before': ', or rather a commit of before again',
  'asked for': ', with a request_id whose status was asked for before',
};

function showAction(one: Action): string {
  switch (one.kind) {
    case 'commit': {
      const reads =
        one.reads === 'nothing'
          ? ''
          : `if ${one.reads === 'all keys' ? one.reads : `k${one.key}`} unchanged since ${place('version', one.back)}: `;
      const request = REQUESTS[one.request];
      return `commit ${reads}${one.change} k${one.key}${one.change === 'range_delete' ? ' and what follows' : ''}${request}`;
    }
    case 'status':
      return `status of ${one.of === 'a commit' ? place('commit', one.back) : one.of}, from ${one.from}`;
    case 'read':
      return `read the log with durable=${one.durable} after ${place('version', one.back)}${one.inTwoParts ? ', on two connections' : ''}`;
    case 'set policy':
      return `set policy p${one.policy} to ${place('version', one.back)}`;
    case 'delete policy':
    case 'get policy':
      return `${one.kind} p${one.policy}`;
    default:
      return one.kind;
  }
}

/** Steps in words. */
export const showSteps = (all: readonly Step[]): string =>
  all
    .map((step, index) => `${index + 1}. ${step.map(showAction).join('\n   and at the same time: ')}`)
    .join('\n');
