import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seed } from '../support/seed.js';
import { audit } from './leader-audit.js';
import { scenario } from './leader-commands.js';
import { LeaderRun } from './leader-run.js';

const RUNS = Number(process.env['RUNS'] ?? 1000);

test('a leader keeps its promises, whatever its clients and its log do', async (t) => {
  /** How often each answer was given, to see that nothing is tested in vain. */
  const seen: Record<string, number> = {
    committed: 0,
    'not-committed': 0,
    'request-id-reused': 0,
    'version-ahead-of-log': 0,
    overloaded: 0,
    unavailable: 0,
    'outcome-unknown': 0,
    'status committed': 0,
    'status id_not_found': 0,
    'status log_truncated': 0,
    'status unavailable': 0,
    'status failed': 0,
  };
  const count = (name: string) => {
    seen[name] = (seen[name] ?? 0) + 1;
  };
  await fc.assert(
    fc.asyncProperty(scenario, async (plan) => {
      const run = new LeaderRun(plan.settings);
      await run.play(plan);
      audit(run);
      run.feed.check(run);
      for (const { answer } of run.sent) {
        const { outcome } = answer!;
        count(outcome.kind === 'refused' ? outcome.refusal.kind : outcome.kind);
      }
      for (const { answer } of run.asked) count(`status ${answer!.status.status}`);
    }),
    { seed, numRuns: RUNS, includeErrorInReport: true },
  );
  t.diagnostic(JSON.stringify(seen));
  if (RUNS < 100) return;
  for (const [name, times] of Object.entries(seen)) assert.ok(times > 0, `never ${name}`);
});
