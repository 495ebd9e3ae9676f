import type { VariantName } from '../variants.js';

/** A bug that a server might have. */
export interface Fault {
  readonly name: string;
  /** What the server does wrong. */
  readonly about: string;
  /** The requirement of the catalogue that it breaks: the suite has to find one of these broken. */
  readonly requirements: readonly [string, ...string[]];
  /** Legal variants of the server on which the fault shows. */
  readonly on?: readonly VariantName[];
}
