/**
 * Mutants that no test can notice, each with its reason. They do not count. `deno task mutate` fails if a test notices one
 * after all, or if the code has changed so that it is gone.
 */

export interface Equivalent {
  file: string;
  /** The code and what replaces it, with single spaces, as `deno task mutate` shows them. */
  change: string;
  /** A piece of the line where it begins, if the file has that change more than once. */
  line?: string;
  reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [];
