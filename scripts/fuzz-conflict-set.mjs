// Random operations against the brute-force model: `npm run fuzz:conflict-set -- --operations 10000000 --seed N`.
// With --churn: memory over 100 million operations, without the model.
import { parseArgs } from 'node:util';
import { churn } from '../dist/bench/conflict-set/churn.js';
import { play, WalkFailure } from '../dist/test/core/conflict-play.js';
import { describeWalk, shrink } from '../dist/test/core/conflict-shrink.js';
import { operationsOf, randomWalk } from '../dist/test/core/conflict-walk.js';

const WALK_OPERATIONS = 20_000;
const PROGRESS_MS = 5_000;
const SHRINK_MS = 60_000;

const { values } = parseArgs({
  options: {
    operations: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() & 0x7fffffff) },
    churn: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
console.log(`seed ${seed}`);
if (values.churn) churn(seed, Number(values.operations ?? 100_000_000));
else fuzz(Number(values.operations ?? 10_000_000));

/** Walk after walk, each with the seed that follows. */
function fuzz(wanted) {
  const sum = { walks: 0, operations: 0, committed: 0, refused: 0 };
  const started = performance.now();
  let shown = started;
  while (sum.operations < wanted) {
    const walk = randomWalk(seed + sum.walks, WALK_OPERATIONS);
    try {
      const { committed, refused } = play(walk);
      sum.committed += committed;
      sum.refused += refused;
    } catch (error) {
      if (!(error instanceof WalkFailure)) throw error;
      report(walk, seed + sum.walks, error);
      return;
    }
    sum.walks += 1;
    sum.operations += operationsOf(walk.steps);
    if (performance.now() - shown < PROGRESS_MS && sum.operations < wanted) continue;
    shown = performance.now();
    const { walks, operations, committed, refused } = sum;
    const seconds = ((shown - started) / 1000).toFixed(0);
    console.log(
      `${seconds} s: ${operations} operations in ${walks} walks, ${committed} committed, ${refused} refused`,
    );
  }
  console.log('no difference found');
}

function report(walk, walkSeed, failure) {
  process.exitCode = 1;
  console.error(`FAILED in step ${failure.step} of ${walk.steps.length} (keys: ${walk.name})`, failure.cause);
  console.error(`again: npm run fuzz:conflict-set -- --operations 1 --seed ${walkSeed}`);
  const smaller = shrink(walk, failure.step, SHRINK_MS);
  console.error(`the smallest found, ${operationsOf(smaller.steps)} operations:\n${describeWalk(smaller)}`);
  try {
    play(smaller);
  } catch (error) {
    console.error(error);
  }
}
