// Rebuilds on every change and restarts the server: asc for assembly/, tsc --watch for the rest.
import { spawn, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { ASC, root, TSC } from './compilers.mjs';

const run = (args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });

const built = spawnSync(process.execPath, [`${root}/scripts/build.mjs`], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);

let pending;
watch(`${root}/assembly`, { recursive: true }, () => {
  clearTimeout(pending);
  pending = setTimeout(() => run(ASC), 100);
});
const children = [
  run([...TSC, '--watch', '--preserveWatchOutput']),
  run(['--watch', '--watch-path=dist', 'dist/src/main.js', ...process.argv.slice(2)]),
];
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
    process.exit(0);
  });
}
