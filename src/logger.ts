import { type Logger, pino } from 'pino';
import { build as pretty } from 'pino-pretty';

export type { Logger };

/** One JSON line an event on standard error, or a human form of it. Standard output is left to the program's results. */
export function createLogger(options: { level: string; format: 'auto' | 'json' | 'pretty' }): Logger {
  const { level, format } = options;
  const human = format === 'pretty' || (format === 'auto' && process.stderr.isTTY);
  const stream = human
    ? pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' })
    : pino.destination({ dest: 2, sync: true });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}
