import { commitRequirements } from './commit.js';
import { logRequirements } from './log.js';
import type { Requirement } from './requirement.js';
import { retentionRequirements } from './retention.js';
import { compareSections } from './sections.js';
import { serviceRequirements } from './service.js';
import { statusRequirements } from './status.js';
import { streamRequirements } from './stream.js';
import { versionRequirements } from './version.js';

/** Every requirement, in the order of the specification's sections. */
export const CATALOGUE: readonly Requirement[] = [
  ...logRequirements,
  ...commitRequirements,
  ...versionRequirements,
  ...statusRequirements,
  ...streamRequirements,
  ...retentionRequirements,
  ...serviceRequirements,
].sort((a, b) => compareSections(a.section, b.section));

const byId = new Map(CATALOGUE.map((requirement) => [requirement.id, requirement]));

/** @throws Error when the catalogue has no such requirement: a mistake in a test. */
export function requirement(id: string): Requirement {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`no requirement ${id} in the catalogue`);
  return found;
}
