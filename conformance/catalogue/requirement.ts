/**
 * MUST: the specification states it, and a server that breaks it fails. SHOULD: it is reported, and never
 * fails a server. OPEN: the specification leaves it to the server, and the suite records what it saw.
 */
export type Level = 'MUST' | 'SHOULD' | 'OPEN';

/** One testable sentence of the specification, in our own words. */
export interface Requirement {
  /** Never changes once it is published: reports and lists of known failures refer to it. */
  readonly id: string;
  /** The section of the specification that states it, such as `4.3`. */
  readonly section: string;
  readonly level: Level;
  readonly text: string;
  /** Why no test can cover it from outside. */
  readonly untestable?: string;
}

export const must = (id: string, section: string, text: string): Requirement => ({
  id,
  section,
  level: 'MUST',
  text,
});

export const should = (id: string, section: string, text: string): Requirement => ({
  id,
  section,
  level: 'SHOULD',
  text,
});

export const open = (id: string, section: string, text: string): Requirement => ({
  id,
  section,
  level: 'OPEN',
  text,
});

export const untestable = (id: string, section: string, text: string, reason: string): Requirement => ({
  id,
  section,
  level: 'MUST',
  text,
  untestable: reason,
});
