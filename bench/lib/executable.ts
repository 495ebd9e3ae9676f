import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Programs that were built for this project only: `GOBIN=$PWD/.cache/bin go install ...`. */
export const OWN_BIN = fileURLToPath(new URL('../../../.cache/bin', import.meta.url));

/** The path of a program in PATH, in `.cache/bin`, where `go install` puts it, or in `folders`; undefined without one. */
export function findExecutable(name: string, folders: readonly string[] = []): string | undefined {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...path, OWN_BIN, join(homedir(), 'go', 'bin'), ...folders]
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
