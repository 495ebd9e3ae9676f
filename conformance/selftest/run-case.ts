import { CATALOGUE } from '../catalogue/catalogue.js';
import type { RunOptions } from '../run/options.js';
import type { TestResult } from '../run/result.js';
import { runSuite } from '../run/run-suite.js';
import type { Case, CaseOptions, CaseResult, Finding } from './case.js';
import { SelftestServer } from './server/selftest-server.js';

/** A faulty server lets the suite wait in vain; one that conforms is given more time than it needs. */
const PATIENCE_MS = { fault: 3000, variant: 15_000 };

const shoulds = new Set(CATALOGUE.filter(({ level }) => level === 'SHOULD').map(({ id }) => id));

const findingsOf = (result: TestResult): Finding[] =>
  result.failures.map(({ requirement, message }) => ({ requirement, test: result.name, message }));

/** Runs the suite on the server of `one`, and stops as soon as what was expected is found broken. */
export async function runCase(one: Case, options: CaseOptions): Promise<CaseResult> {
  const server = await SelftestServer.start({
    faults: new Set(one.faults),
    variants: new Set(one.variants),
  });
  const stop = new AbortController();
  const isExpected = ({ requirement }: Finding): boolean => one.expected.includes(requirement);
  const progress = {
    planned: () => undefined,
    finished: (result: TestResult) => {
      if (findingsOf(result).some(isExpected)) stop.abort();
    },
    note: () => undefined,
  };
  try {
    const { tests } = await runSuite(runOptions(server, one, options, stop.signal), progress);
    const findings = tests.flatMap(findingsOf);
    return {
      caught: findings.filter(isExpected),
      // A SHOULD that does not hold fails no server.
      other: findings.filter((finding) => !isExpected(finding) && !shoulds.has(finding.requirement)),
      incomplete: stop.signal.aborted
        ? []
        : tests.flatMap(({ outcome, name, reason }) =>
            outcome === 'incomplete' ? [`${name}: ${reason ?? ''}`] : [],
          ),
      passedTests: tests.filter(({ outcome }) => outcome === 'passed').length,
    };
  } finally {
    await server.stop();
  }
}

function runOptions(
  { url, hooks }: SelftestServer,
  { kind, expected }: Case,
  { allTests, depth, seed }: CaseOptions,
  signal: AbortSignal,
): RunOptions {
  return {
    url,
    hooks,
    only: allTests ? [] : expected,
    skip: [],
    sections: [],
    levels: [],
    seed,
    runs: undefined,
    depth,
    soakMinutes: 0,
    patienceMs: PATIENCE_MS[kind],
    concurrency: 4,
    knownFailing: [],
    signal,
  };
}
