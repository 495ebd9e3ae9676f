import type { Behaviour } from './behaviour.js';

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** More metrics than the specification names, in all the forms that the format allows. */
const RICH = `# A comment that is neither help nor type

# HELP commit_seconds Time to answer a commit, with a \\\\ and a line\\nend.
# TYPE commit_seconds histogram
commit_seconds_bucket{outcome="committed",le="0.1"} 3
commit_seconds_bucket{outcome="committed",le="+Inf"} 4
commit_seconds_sum{outcome="committed"} 1.5e-1
commit_seconds_count{outcome="committed"} 4
# TYPE queue:depth gauge
queue:depth{name="a \\"b\\"\\n\\\\",} NaN 1395066363000
queue:depth{name="ü"} -Inf
untyped_thing 2.5e-1
`;

/** The text of GET /metrics (section 4.7). */
export class Metrics {
  readonly #behaviour: Behaviour;
  #scraped = 0;

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  text(transactions: number): string {
    const name = this.#behaviour.pick('process_cpu_seconds_total', {
      'cpu-under-another-name': 'process_cpu_seconds',
    });
    const type = this.#behaviour.pick('counter', { 'cpu-declared-as-gauge': 'gauge' });
    const help = `# HELP ${name} Total user and system CPU time spent in seconds.\n`;
    return [
      this.#behaviour.has('cpu-without-help') ? '' : help,
      this.#behaviour.has('cpu-without-type') ? '' : `# TYPE ${name} ${type}\n`,
      `${name} ${this.#cpu()}\n`,
      `# HELP log_transactions Transactions that are held.\n# TYPE log_transactions gauge\n`,
      this.#behaviour.pick(`log_transactions ${transactions}\n`, {
        'metric-names-with-dots': `log.transactions ${transactions}\n`,
        'metric-labels-unquoted': `log_transactions{kind=held} ${transactions}\n`,
        'metric-values-with-units': `log_transactions ${transactions} transactions\n`,
        'rich-metrics': `log_transactions ${transactions}\n${RICH}`,
      }),
    ].join('');
  }

  #cpu(): number {
    const now = cpuSeconds();
    const since = now - this.#scraped;
    this.#scraped = now;
    return this.#behaviour.pick(now, { 'cpu-since-last-scrape': since, 'cpu-as-load': Math.random() });
  }
}
