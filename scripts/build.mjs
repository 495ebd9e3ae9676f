// Builds everything into dist/: the Wasm core first, then TypeScript.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));

rmSync(`${root}/dist`, { recursive: true, force: true });
for (const step of [
  [bin('assemblyscript/bin/asc.js'), '--target', 'release', '--transform', './scripts/inline.mjs'],
  [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'],
]) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
