import type { Core } from '../core/core.js';
import { type Disk, readFile, writeFileAtomically } from '../log/file/disk.js';
import { LogError } from '../log/log.js';
import type { PolicyStore } from './policy-store.js';

const FORMAT = 'headwater retention policies 1';

/**
 * The policies in one small text file: a line of JSON, a line with its CRC-32C, replaced atomically at each change.
 *
 *     {"format":"headwater retention policies 1","policies":{"backup":1200}}
 *     crc32c 0xd0ed4ce7
 */
export function filePolicyStore(disk: Disk, path: string, core: Core): PolicyStore {
  const checksum = (line: string) =>
    `crc32c 0x${core.crc32c(new TextEncoder().encode(line)).toString(16).padStart(8, '0')}`;

  return {
    async load() {
      const bytes = await readFile(disk, path);
      if (bytes === undefined) return new Map();
      const [line = '', sum] = new TextDecoder().decode(bytes).split('\n');
      const damaged = (reason: string) => new LogError('damaged', `${path}: ${reason}`);
      if (sum !== checksum(line)) throw damaged('the retention policies fail their checksum');
      const content = JSON.parse(line) as { format?: unknown; policies: Record<string, number> };
      if (content.format !== FORMAT) throw damaged(`the format is ${content.format}; known is ${FORMAT}`);
      return new Map(Object.entries(content.policies));
    },

    async save(policies) {
      const line = JSON.stringify({ format: FORMAT, policies: Object.fromEntries(policies) });
      await writeFileAtomically(disk, path, new TextEncoder().encode(`${line}\n${checksum(line)}\n`));
    },
  };
}
