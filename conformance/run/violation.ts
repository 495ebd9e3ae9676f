/** A requirement that was seen broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly requirement: string;
  /** The smallest case that a property found, in words. */
  readonly counterexample: string | undefined;

  constructor(requirement: string, message: string, counterexample?: string) {
    super(message);
    this.requirement = requirement;
    this.counterexample = counterexample;
  }
}

/** The test does not apply: a hook is absent, or the server makes a choice that leaves nothing to test. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

/** The test applies, and no verdict could be reached. */
export class Incomplete extends Error {
  override readonly name = 'Incomplete';
}

/** The part of the log that a test wanted to read is truncated. */
export class Truncated extends Incomplete {}
