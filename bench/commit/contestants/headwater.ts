import { readFileSync } from 'node:fs';
import { HEADWATER_MAIN, startHeadwater } from '../../lib/headwater.js';
import type { Contestant } from '../contestant.js';
import { HeadwaterProtocol } from '../load/headwater-protocol.js';
import { LatestVersion } from '../load/knowledge.js';
import { connectionPerClient } from '../load/shape.js';

const PACKAGE = new URL('../../../../package.json', import.meta.url);

/** This project's server. */
export function headwater(settings: readonly string[]): Contestant {
  return contestant('headwater', ['Headwater', ...settings].join(' '), HEADWATER_MAIN, settings);
}

/** Another build of it, to see what a change brings. @param main its compiled entry point */
export function headwaterBaseline(main: string): Contestant {
  return contestant('baseline', `Headwater of ${main}`, main, []);
}

function contestant(name: string, title: string, main: string, settings: readonly string[]): Contestant {
  return {
    name,
    title,
    kind: 'ours',
    isDurable: true,
    find: () => ({ version: (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version }),
    start: async (directory) => {
      const { program, port, url } = await startHeadwater(directory, settings, main);
      const response = await fetch(`${url}/v1/version`);
      const latest = (await response.json()) as { version: number; leader_id: string };
      return {
        pid: program.pid,
        port,
        knowledge: new LatestVersion(latest.version),
        shape: connectionPerClient,
        protocol: () => new HeadwaterProtocol(port, latest.leader_id),
        stop: () => program.stop(),
      };
    },
  };
}
