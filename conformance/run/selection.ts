import { CATALOGUE, requirement } from '../catalogue/catalogue.js';
import type { RunOptions } from './options.js';
import { sectionOf, type Test } from './test.js';

function matcher(pattern: string): (name: string) => boolean {
  const escaped = pattern
    .replace(/\/$/, '')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*');
  const whole = new RegExp(`^${escaped}$`, 'i');
  // The name of a folder stands for all that is in it.
  const folder = new RegExp(`^${escaped}/`, 'i');
  return (name) => whole.test(name) || folder.test(name);
}

/** Whether `pattern` names the test, a folder of its name, or a requirement that it covers. */
export function matches(pattern: string, test: Test): boolean {
  const fits = matcher(pattern);
  return fits(test.name) || test.requirements.some(fits);
}

/** The tests that the options of a run ask for, in their order. */
export function select(tests: readonly Test[], options: RunOptions): Test[] {
  const within = (section: string, wanted: string): boolean =>
    section === wanted || section.startsWith(`${wanted}.`);
  return tests.filter((test) => {
    if (options.only.length > 0 && !options.only.some((pattern) => matches(pattern, test))) return false;
    if (options.skip.some((pattern) => matches(pattern, test))) return false;
    if (
      options.sections.length > 0 &&
      !options.sections.some((wanted) =>
        [sectionOf(test), ...test.requirements.map((id) => requirement(id).section)].some((one) =>
          within(one, wanted),
        ),
      )
    )
      return false;
    return (
      options.levels.length === 0 ||
      test.requirements.some((id) => options.levels.includes(requirement(id).level))
    );
  });
}

/** The patterns that name neither a test nor a requirement: most likely typing errors. */
export function unknownPatterns(tests: readonly Test[], patterns: readonly string[]): string[] {
  return patterns.filter((pattern) => {
    const fits = matcher(pattern);
    return !tests.some((test) => matches(pattern, test)) && !CATALOGUE.some(({ id }) => fits(id));
  });
}
