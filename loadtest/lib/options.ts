import type { Options, Scenario, Threshold } from 'k6/options';

/** How long requests may take to come to their end when the load is over. */
const GRACE_SECONDS = 2;
/** Scenarios that do not overlap are run by the same virtual users, who know what they were told. */
const GAP_SECONDS = 1;

export interface LoadPlan {
  readonly scenario: Scenario;
  readonly seconds: number;
  readonly vus: number;
  /** The values of the tag `phase`, for a row each in the summary, and how many seconds each takes. */
  readonly phases: Readonly<Record<string, number>>;
  readonly thresholds?: Readonly<Record<string, Threshold[]>>;
}

/** The options of a script: its load, then the lookup of a sample, and the thresholds that all scripts share. */
export function optionsOf({ scenario, seconds, vus, phases, thresholds }: LoadPlan): Options {
  const lookUp: Scenario = {
    executor: 'per-vu-iterations',
    exec: 'lookUpSample',
    vus,
    iterations: 1,
    startTime: `${seconds + GRACE_SECONDS + GAP_SECONDS}s`,
  };
  return {
    scenarios: { load: { ...scenario, gracefulStop: `${GRACE_SECONDS}s` }, look_up_sample: lookUp },
    setupTimeout: '120s',
    summaryTrendStats: ['min', 'med', 'p(95)', 'p(99)', 'max', 'count'],
    thresholds: {
      request_errors: ['rate<0.001'],
      lookups: ['count>0'],
      lookups_agree: ['rate==1'],
      commits_within_p95_limit: ['rate>=0.95'],
      commits_within_p99_limit: ['rate>=0.99'],
      acknowledged_commits: ['count>0'],
      // Not to be missed: they make k6 keep the figures of each phase apart.
      ...Object.fromEntries(
        ['baseline', ...Object.keys(phases)].flatMap((phase) => [
          [`commit_ms{phase:${phase}}`, ['max>=0']],
          [`commit_answers{phase:${phase},outcome:committed}`, ['count>=0']],
          [`commit_answers{phase:${phase},outcome:not_committed}`, ['count>=0']],
        ]),
      ),
      ...thresholds,
    },
  };
}
