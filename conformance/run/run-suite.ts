import { setTimeout as sleep } from 'node:timers/promises';
import { Api, type Shared } from '../api/api.js';
import { Ledger } from '../model/ledger.js';
import { LogView } from '../model/log-view.js';
import { Witness } from '../model/witness.js';
import { TESTS } from '../tests/all.js';
import { HttpClient, NoAnswer } from '../wire/http.js';
import { Transcript } from '../wire/transcript.js';
import { auditOf } from './audit.js';
import { judgeRequirements, judgeRun } from './evaluate.js';
import { firstContact, hadNothing, measurePace } from './first-contact.js';
import type { RunOptions } from './options.js';
import type { Progress } from './progress.js';
import { Recorder } from './recorder.js';
import type { Observation, RunResult, TestResult } from './result.js';
import { runTest } from './run-test.js';
import { matches, select } from './selection.js';
import { type Phase, sectionOf, type Test } from './test.js';
import { type Run, USUAL_PACE_MS } from './test-context.js';

const PHASES: readonly Phase[] = ['shared', 'alone', 'disruptive', 'audit'];
/** How many commits one after the other the patience has to last for. */
const PATIENT_COMMITS = 60;
const OBSERVATIONS_PER_REQUIREMENT = 12;

/** Collects what was seen where the specification leaves a choice, each thing once. */
class Observations {
  readonly list: Observation[] = [];

  add(requirement: string, test: string, text: string): void {
    const same = this.list.filter((known) => known.requirement === requirement);
    if (same.length >= OBSERVATIONS_PER_REQUIREMENT || same.some((known) => known.text === text)) return;
    this.list.push({ requirement, test, text });
  }
}

/**
 * Judges the server at `options.url`.
 * @throws Unreachable where nothing answers at the address
 */
export async function runSuite(options: RunOptions, progress: Progress): Promise<RunResult> {
  const startedAt = new Date();
  const observations = new Observations();
  const tests = select(TESTS, options);
  const ledger = new Ledger();
  const connect = (patienceMs: number): Shared => ({
    http: new HttpClient(options.url, patienceMs),
    ledger,
    view,
    witness,
    patienceMs,
    saw: (requirement, text) => observations.add(requirement, 'all', text),
  });
  const [view, witness] = [new LogView(ledger), new Witness()];
  const mark = `conformance/${options.seed.toString(36)}-${startedAt.getTime().toString(36)}/`;
  const contact = connect(options.patienceMs);
  const start = await firstContact(contact);
  progress.planned(tests.length);
  view.start = start.version;
  const paceMs = await measurePace(contact, start, `${mark}pace`);
  const beganEmpty = await hadNothing(contact, start);
  contact.http.close();
  if (paceMs > USUAL_PACE_MS)
    progress.note(
      `A commit takes ${Math.round(paceMs)} ms here: what repeats something repeats it less often.`,
    );
  // Commits that are sent at once may be served one after the other.
  const patienceMs = Math.max(options.patienceMs, PATIENT_COMMITS * paceMs);
  const shared = connect(patienceMs);
  const recorder = new Recorder(new Api(shared, new Transcript(), 'recorder'), start.version);
  recorder.start();
  const run: Run = {
    shared,
    options: { ...options, patienceMs },
    recorder,
    startVersion: start.version,
    beganEmpty,
    mark,
    nextSpace: 0,
    policies: new Set(),
    paceMs,
  };
  const results: TestResult[] = [];
  const [audits, others] = [tests.filter(isAudit), tests.filter((test) => !isAudit(test))];
  try {
    const deadline = performance.now() + options.soakMinutes * 60_000;
    let repetition = 0;
    do {
      await runPhases(run, others, start.leaderId, results, progress, repetition);
      repetition += 1;
    } while (performance.now() < deadline && !results.some(isFailure));
    await runPhases(run, audits, start.leaderId, results, progress, 0);
  } finally {
    try {
      await recorder.stop();
    } finally {
      await removePolicies(run, progress);
      shared.http.close();
    }
  }
  const known = (result: TestResult): boolean =>
    options.knownFailing.some((pattern) => {
      const test = tests.find(({ name }) => name === result.name);
      return test !== undefined && matches(pattern, test);
    });
  const unexpectedPasses = options.knownFailing.filter((pattern) => {
    const named = results.filter((result) =>
      tests.some((test) => test.name === result.name && matches(pattern, test)),
    );
    return (
      named.some(({ outcome }) => outcome === 'passed') &&
      named.every(({ outcome }) => outcome === 'passed' || outcome === 'skipped')
    );
  });
  return {
    url: options.url,
    seed: options.seed,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    options: options.typed ?? [],
    verdict: judgeRun(results, known, unexpectedPasses),
    tests: results,
    requirements: judgeRequirements(TESTS, results, observations.list),
    observations: observations.list,
    precision: auditOf(run).precision,
    unexpectedPasses,
    knownFailures: results.filter((result) => isFailure(result) && known(result)).map(({ name }) => name),
  };
}

const isAudit = ({ phase }: Test): boolean => phase === 'audit';

const isFailure = ({ outcome }: TestResult): boolean => outcome === 'failed';

async function runPhases(
  run: Run,
  tests: readonly Test[],
  leaderId: string,
  results: TestResult[],
  progress: Progress,
  repetition: number,
): Promise<void> {
  let gone: string | undefined;
  for (const phase of PHASES) {
    const queue = tests.filter((test) => (test.phase ?? 'shared') === phase);
    const width = phase === 'shared' ? run.options.concurrency : 1;
    await Promise.all(
      Array.from({ length: width }, async () => {
        for (let test = queue.shift(); test !== undefined; test = queue.shift()) {
          if (run.options.signal?.aborted === true) gone ??= 'the run was interrupted';
          const result =
            gone === undefined ? await runTest(run, test, leaderId, repetition) : notRun(test, gone);
          results.push(result);
          progress.finished(result);
          if (gone === undefined && result.outcome !== 'passed' && !(await isReachable(run)))
            gone = `the server did not answer any more after ${test.name}`;
        }
      }),
    );
  }
}

const notRun = (test: Test, reason: string): TestResult => ({
  name: test.name,
  title: test.title,
  section: sectionOf(test),
  requirements: test.requirements,
  outcome: 'incomplete',
  durationMs: 0,
  failures: [],
  reason,
});

async function isReachable(run: Run): Promise<boolean> {
  const deadline = performance.now() + run.options.patienceMs;
  const api = new Api(run.shared, new Transcript(), 'reachable');
  while (performance.now() < deadline) {
    try {
      await api.raw('GET', '/v1/version');
      return true;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      await sleep(200);
    }
  }
  return false;
}

/** Leaves the policies of the server as they were; a server that is gone keeps none that could be removed. */
async function removePolicies(run: Run, progress: Progress): Promise<void> {
  const api = new Api(run.shared, new Transcript(), 'clean up');
  const left: string[] = [];
  for (const id of run.policies) {
    const path = `/v1/retention/${encodeURIComponent(id)}`;
    let status: number | undefined;
    for (let tries = 0; tries < 3 && status !== 204 && status !== 404; tries += 1) {
      try {
        ({ status } = await api.raw('DELETE', path, { freshConnection: true }));
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        await sleep(100);
      }
    }
    if (status !== 204 && status !== 404) left.push(id);
  }
  if (left.length > 0) progress.note(`These policies of the run could not be deleted: ${left.join(', ')}`);
}
