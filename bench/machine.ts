import { cpus, loadavg } from 'node:os';

/** One line about the machine and what else it does. */
export function machine(): string {
  const all = cpus();
  const load = loadavg()
    .map((each) => each.toFixed(1))
    .join(', ');
  return `${all.length} x ${all[0]?.model.trim() ?? 'unknown processor'}, Node ${process.version}, load ${load}`;
}
