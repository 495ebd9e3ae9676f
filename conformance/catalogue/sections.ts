/** Titles of the sections of the specification that requirements refer to. */
export const SECTIONS: Readonly<Record<string, string>> = {
  '1': 'What the service does',
  '2.1': 'Common fields',
  '2.2': 'Commit request',
  '2.3': 'Commit response',
  '2.4': 'Version response',
  '2.5': 'Status response',
  '2.6': 'Retention policy',
  '3': 'States and transitions',
  '4.1': 'GET /v1/version',
  '4.2': 'POST /v1/commit',
  '4.3': 'GET /v1/status',
  '4.4': 'GET /v1/subscribe',
  '4.5': 'Retention policies',
  '4.6': 'GET /ok',
  '4.7': 'GET /metrics',
  '5': 'Authentication',
  '6.1': 'transaction event',
  '6.2': 'checkpoint event',
  '6.3': 'keepalive',
  '6.4': 'Rules of the event stream',
  '7': 'Errors',
  '8': 'Limits',
  '9': 'Versioning',
};

/** Orders section numbers as the specification does: 2.10 comes after 2.9. */
export const compareSections = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
