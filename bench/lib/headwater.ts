import { fileURLToPath } from 'node:url';
import { freePort, Program } from './program.js';

/** The compiled entry point of this project's server. */
export const HEADWATER_MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

export interface Headwater {
  readonly program: Program;
  readonly port: number;
  readonly url: string;
}

/**
 * Starts the server on a free port; resolves once it takes commits.
 * @param dataDir where it keeps its log
 * @param settings further flags
 * @param main the compiled entry point, if not this project's
 * @throws when it ends instead
 */
export async function startHeadwater(
  dataDir: string,
  settings: readonly string[] = [],
  main = HEADWATER_MAIN,
): Promise<Headwater> {
  const port = await freePort();
  const flags = ['--port', String(port), '--data-dir', dataDir, '--log-level', 'warn', ...settings];
  const program = new Program(process.execPath, [main, ...flags]);
  const url = `http://127.0.0.1:${port}`;
  await program.ready(async () => {
    const response = await fetch(`${url}/ok`);
    if (!response.ok) throw new Error(`/ok answers ${response.status}`);
  });
  return { program, port, url };
}
