// Runs one suite: `node scripts/test.mjs unit|property|crash [part of a file name ...]`.
// A suite is chosen by the ending of a file: x.test.ts, x.property.ts or x.crash.ts.
// Ends with the line "N passed, N failed", followed by ", N skipped" where tests were skipped.
import { existsSync, readdirSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const endings = { unit: '.test.js', property: '.property.js', crash: '.crash.js' };
const [suite = 'unit', ...parts] = process.argv.slice(2);
const root = fileURLToPath(new URL('../dist/', import.meta.url));
const ending = endings[suite];
if (ending === undefined) {
  console.error(`no suite "${suite}"; there are: ${Object.keys(endings).join(', ')}`);
  process.exit(2);
}

const files = ['test', 'conformance', 'examples', 'loadtest', 'bench']
  .filter((folder) => existsSync(root + folder))
  .flatMap((folder) =>
    readdirSync(root + folder, { recursive: true }).map((name) => `${root}${folder}/${name}`),
  )
  .filter(
    (file) => file.endsWith(ending) && (parts.length === 0 || parts.some((part) => file.includes(part))),
  )
  .sort();
if (files.length === 0) {
  console.error(`no test files: is the project built (npm run build)?`);
  process.exit(2);
}

const count = { passed: 0, failed: 0, skipped: 0 };
// The limit is for a test that hangs, not for a slow machine.
const stream = run({ files, concurrency: suite === 'crash' ? 1 : 2, timeout: 300_000 });
const isLeaf = (event) => event.details?.type !== 'suite' && event.name !== event.file;
stream.on('test:pass', (event) => {
  if (isLeaf(event)) count[event.skip || event.todo ? 'skipped' : 'passed'] += 1;
});
stream.on('test:fail', (event) => {
  if (isLeaf(event)) count.failed += 1;
});
stream.compose(new spec()).pipe(process.stdout, { end: false });
stream.on('end', () => {
  setImmediate(() => {
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    console.log(`${suite}: ${count.passed} passed, ${count.failed} failed${skipped}`);
    process.exitCode = count.failed > 0 || count.passed === 0 ? 1 : 0;
  });
});
