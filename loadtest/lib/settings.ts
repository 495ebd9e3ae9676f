// Settings come as `-e NAME=value`; loadtest/README.md lists them.

/** The server under test, without a slash at the end. */
export const SERVICE_URL = (__ENV['URL'] ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');

/** A run of about 15 seconds, for a quick look and for CI. */
export const IS_QUICK = __ENV['QUICK'] !== undefined;

/** Set by the runner, which then looks every acknowledged commit up in the stream. */
export const LOGS_ACKNOWLEDGED = __ENV['LOG_ACKNOWLEDGED'] !== undefined;

/** Where the summary goes, besides the terminal. */
export const SUMMARY_FILE = __ENV['SUMMARY'];

/** Where the figures go that the runner wants. */
export const FIGURES_FILE = __ENV['FIGURES'];

/** A number from the environment. */
export function numberSetting(name: string, fallback: number): number {
  const text = __ENV[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new Error(`${name} must be a positive number, not "${text}"`);
  return value;
}

/** Seconds that a phase takes: DURATION if it is set, else as the run is quick or not. */
export function phaseSeconds(quick: number, full: number): number {
  return numberSetting('DURATION', IS_QUICK ? quick : full);
}
