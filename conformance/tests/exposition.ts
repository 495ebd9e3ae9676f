import { Violation } from '../run/violation.js';

/** One line with a value. */
export interface Sample {
  readonly name: string;
  /** Its labels as they stand there; '' without. */
  readonly labels: string;
  readonly value: number;
}

/** What a metrics endpoint says. */
export interface Exposition {
  readonly types: ReadonlyMap<string, string>;
  readonly helps: ReadonlySet<string>;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*[ \\t]*=[ \\t]*"(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const LABELS = `\\{[ \\t]*(?:${LABEL}[ \\t]*(?:,[ \\t]*${LABEL}[ \\t]*)*,?[ \\t]*)?\\}`;
const NUMBER = '[+-]?(?:[0-9]+\\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\\.[0-9]+(?:[eE][+-]?[0-9]+)?|[iI]nf|[nN]a[nN])';
const TIMESTAMP = '-?[0-9]+(?:\\.[0-9]+)?';
/** Only OpenMetrics has exemplars. */
const EXEMPLAR = ` # ${LABELS} ${NUMBER}(?: ${TIMESTAMP})?`;

const SAMPLE = new RegExp(
  `^(${NAME})[ \\t]*(${LABELS})?[ \\t]+(${NUMBER})(?:[ \\t]+${TIMESTAMP})?(?:${EXEMPLAR})?[ \\t]*$`,
);
const TYPE = new RegExp(
  `^#[ \\t]+TYPE[ \\t]+(${NAME})[ \\t]+(counter|gauge|histogram|summary|untyped|unknown|info|stateset|gaugehistogram)[ \\t]*$`,
);
const HELP = new RegExp(`^#[ \\t]+HELP[ \\t]+(${NAME})(?:[ \\t].*)?$`);
const SUFFIXES = /_(total|created|bucket|count|sum|gcount|gsum|info)$/;

const numberOf = (text: string): number => {
  const digits = text.toLowerCase().replace(/^\+/, '');
  if (digits.endsWith('inf'))
    return digits.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(digits);
};

/**
 * Reads the text-based exposition format (version 0.0.4, or OpenMetrics, which is like it).
 * @throws Violation
 */
export function parseExposition(text: string): Exposition {
  const types = new Map<string, string>();
  const helps = new Set<string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  const fail = (line: string, why: string): never => {
    throw new Violation(
      'METRICS-FORMAT',
      `GET /metrics has the line ${JSON.stringify(line.slice(0, 200))}: ${why}`,
    );
  };
  for (const line of text.split('\n')) {
    if (/^[ \t]*$/.test(line)) continue;
    if (line.startsWith('#')) {
      const [, typed, type] = TYPE.exec(line) ?? [];
      const [, helped] = HELP.exec(line) ?? [];
      if (typed !== undefined && type !== undefined) {
        if (types.has(typed)) fail(line, 'a second type');
        if (samples.some(({ name }) => belongsTo(name, typed)))
          fail(line, 'the type comes after the first sample');
        types.set(typed, type);
      } else if (helped !== undefined) {
        if (helps.has(helped)) fail(line, 'a second help');
        helps.add(helped);
      } else if (/^#[ \t]+(TYPE|HELP)([ \t]|$)/.test(line)) fail(line, 'not well-formed');
      continue;
    }
    const [, name, labels = '', value] =
      SAMPLE.exec(line) ?? fail(line, 'neither a comment nor a name with a number');
    if (seen.has(`${name}${labels}`)) fail(line, 'the same name and labels as before');
    seen.add(`${name}${labels}`);
    samples.push({ name: name!, labels, value: numberOf(value!) });
  }
  return { types, helps, samples };
}

const belongsTo = (sample: string, metric: string): boolean =>
  sample === metric || sample.replace(SUFFIXES, '') === metric;
