import { readdirSync, readFileSync } from 'node:fs';

/** The unit of /proc/PID/stat (`getconf CLK_TCK`), the same on every current Linux. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly parent: number;
  readonly ticks: number;
}

/**
 * User and system CPU time of a process, of all its living descendants, and of those that have ended and been
 * waited for. Resolution 10 ms. NaN where there is no /proc.
 */
export function cpuSeconds(pid: number): number {
  const processes = new Map<number, ProcessTimes>();
  for (const name of procEntries()) {
    const times = readTimes(name);
    if (times !== undefined) processes.set(Number(name), times);
  }
  if (!processes.has(pid)) return Number.NaN;
  let ticks = 0;
  for (const [id, times] of processes) if (descends(id, pid, processes)) ticks += times.ticks;
  return ticks / TICKS_PER_SECOND;
}

function procEntries(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Undefined for a process that has ended in between. */
function readTimes(pid: string): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before the last parenthesis may hold spaces. Behind it: state, parent, ..., and from the 12th on
    // utime, stime, cutime, cstime.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
    return { parent: fields[1] ?? 0, ticks };
  } catch {
    return undefined;
  }
}

function descends(pid: number, ancestor: number, processes: ReadonlyMap<number, ProcessTimes>): boolean {
  for (let id: number | undefined = pid; id !== undefined && id !== 0; id = processes.get(id)?.parent) {
    if (id === ancestor) return true;
  }
  return false;
}
