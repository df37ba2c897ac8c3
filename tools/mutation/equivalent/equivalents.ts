/**
 * Mutants that no test can notice, each with its reason, by the file that they change. They do not count. `deno task mutate` fails
 * if a test notices one after all, or if the code has changed so that it is gone.
 */
export type Equivalents = Readonly<Record<string, readonly Equivalent[]>>;

export interface Equivalent {
  /** Each is the code and what replaces it, with single spaces, as `deno task mutate` shows them. */
  changes: readonly string[];
  /** A piece of the line where they begin, if the file has a change more than once. */
  line?: string;
  reason: string;
}
