/** What the file log tells whoever keeps the logs of the process; nothing needs to be done about any of it. */
export type LogEvent =
  /** An unsynced tail was cut off: `file`, `offset`, `bytes`, `records` (whole ones among them). */
  | 'tail-cut'
  /** An index was missing or not sound and is built again from its segment: `file`, `reason`. */
  | 'index-rebuilt'
  /** A file that an earlier process left unfinished was removed: `file`. */
  | 'leftover-removed'
  /** A segment was closed for good and its index written: `file`, `bytes`, `records`. */
  | 'segment-sealed'
  /** Sealing failed; it is tried again later, and the index stays in memory until then: `file`, `reason`. */
  | 'seal-failed'
  /** The next segment could not be prepared; that is tried again when it is needed: `reason`. */
  | 'preparation-failed'
  /** Segments were truncated away: `file` of each. */
  | 'segment-removed';

export type Notify = (event: LogEvent, fields: Readonly<Record<string, string | number>>) => void;
