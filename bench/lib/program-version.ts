import { spawnSync } from 'node:child_process';

/** What a program says its version is, by the first group of `pattern`; "unknown" when it does not say. */
export function programVersion(program: string, flag: string, pattern: RegExp): string {
  const { stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8' });
  return pattern.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown';
}
