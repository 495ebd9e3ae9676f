import type { Finding } from './findings.js';

export const sectionAnchor = (section: string): string => `section-${section}`;

export const requirementAnchor = (id: string): string => `requirement-${id}`;

/** Numbered: one requirement can be broken in several tests. */
export const findingAnchor = (findings: readonly Finding[], finding: Finding): string =>
  `finding-${findings.indexOf(finding) + 1}`;
