// Builds everything into dist/: the Wasm core first, then TypeScript.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { ASC, root, TSC } from './compilers.mjs';

rmSync(`${root}/dist`, { recursive: true, force: true });
for (const step of [ASC, TSC]) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
