/** `npm run bench -- NAME [options]`: runs one benchmark, or draws what one has measured. */
import { benchCodec } from './codec/main.js';
import { benchCommit } from './commit/main.js';
import { benchConflictSetCurves } from './conflict-set/curves/main.js';
import { benchConflictSet } from './conflict-set/main.js';
import { drawPictures } from './pictures/main.js';

type Bench = (options: readonly string[]) => void | Promise<void>;

const BENCHES: Readonly<Record<string, Bench>> = {
  codec: benchCodec,
  commit: benchCommit,
  'conflict-set': benchConflictSet,
  'conflict-set-curves': benchConflictSetCurves,
  pictures: drawPictures,
};

// Ending by exit() lets no server that a benchmark has started outlive it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const [name = '', ...options] = process.argv.slice(2);
const bench = BENCHES[name];
try {
  if (bench === undefined)
    throw new Error(`usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [options]`);
  await bench(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = bench === undefined ? 2 : 1;
}
