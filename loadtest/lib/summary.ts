import type { LoadPlan } from './options.ts';
import type { Percentiles, Run } from './run.ts';
import { FIGURES_FILE, SUMMARY_FILE } from './settings.ts';

interface Metric {
  readonly values: Readonly<Record<string, number>>;
  readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>;
}

/** What k6 hands over at the end; the parts that are used. */
interface SummaryData {
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly setup_data?: Run;
  readonly state: { readonly testRunDurationMs: number };
}

/** Files by name; `stdout` is the terminal. */
type Outputs = Record<string, string>;

/** The `handleSummary` of a script: its tables as Markdown, on the terminal and in a file. */
export function summaryOf(name: string, plan: LoadPlan): (data: SummaryData) => Outputs {
  return (data) => {
    const text = `# Load test: ${name}\n\n${[
      `${(data.state.testRunDurationMs / 1000).toFixed(0)} s in all.`,
      baselineText(data.setup_data?.baseline),
      section('Commits', phaseTable(data, plan)),
      section('Transactions, retried until committed', trendTable(data, /^transaction_/)),
      section('Other requests', trendTable(data, /^other_ms\{/)),
      section('Thresholds', thresholdTable(data)),
    ]
      .filter((part) => part !== undefined)
      .join('\n\n')}\n`;
    const outputs: Outputs = { stdout: `\n${text}` };
    if (SUMMARY_FILE !== undefined) outputs[SUMMARY_FILE] = text;
    if (FIGURES_FILE !== undefined) {
      const acknowledged = data.metrics['acknowledged_commits']?.values['count'] ?? 0;
      outputs[FIGURES_FILE] = `${JSON.stringify({ acknowledged, metrics: data.metrics }, undefined, 2)}\n`;
    }
    return outputs;
  };
}

function baselineText(baseline: Percentiles | undefined): string {
  if (baseline === undefined) return 'There is no baseline: the run ended before it was measured.';
  const [p50, p95, p99] = [baseline.p50Ms, baseline.p95Ms, baseline.p99Ms].map(milliseconds);
  return `Baseline, one client, one commit at a time: p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms.`;
}

function section(title: string, table: string | undefined): string | undefined {
  return table && `## ${title}\n\n${table}`;
}

function phaseTable({ metrics }: SummaryData, { phases }: LoadPlan): string | undefined {
  const rows = ['baseline', ...Object.keys(phases)].flatMap((phase) => {
    const times = metrics[`commit_ms{phase:${phase}}`]?.values;
    if (!times?.['count']) return [];
    const count = (outcome: string): number =>
      metrics[`commit_answers{phase:${phase},outcome:${outcome}}`]?.values['count'] ?? 0;
    const seconds = phases[phase];
    const rate = seconds === undefined ? '-' : (count('committed') / seconds).toFixed(0);
    return [[phase, String(count('committed')), rate, String(count('not_committed')), ...columns(times)]];
  });
  return table(['phase', 'committed', 'commits/s', 'not committed', ...TREND_COLUMNS], rows);
}

function trendTable({ metrics }: SummaryData, wanted: RegExp): string | undefined {
  const rows = Object.entries(metrics)
    .filter(([name, { values }]) => wanted.test(name) && values['med'] !== undefined && values['count'])
    .map(([name, { values }]) => [name, String(values['count']), ...columns(values)]);
  return table(['', 'number', ...TREND_COLUMNS], rows);
}

/** Those whose names end in `_ms`, in milliseconds. */
const TREND_COLUMNS = ['median', 'p95', 'p99', 'highest'];

function columns(values: Readonly<Record<string, number>>): string[] {
  return ['med', 'p(95)', 'p(99)', 'max'].map((name) => milliseconds(values[name] ?? 0));
}

function thresholdTable({ metrics }: SummaryData): string | undefined {
  const rows = Object.entries(metrics).flatMap(([name, { thresholds, values }]) =>
    Object.entries(thresholds ?? {})
      .filter(([rule]) => !rule.endsWith('>=0'))
      .map(([rule, { ok }]) => [
        name,
        `\`${rule}\``,
        String(values[rule.startsWith('rate') ? 'rate' : 'count'] ?? '-'),
        ok ? 'kept' : '**broken**',
      ]),
  );
  return table(['metric', 'threshold', 'value', ''], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined;
  return [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function milliseconds(value: number): string {
  return value.toFixed(2);
}
