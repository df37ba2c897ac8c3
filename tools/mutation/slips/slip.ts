/** A slip of meaning: one change that the compiler accepts and a reviewer could miss, with the promise that it breaks. */

export interface Slip {
  promise: string;
  file: string;
  /** Occurs once in the file. */
  before: string;
  after: string;
  /**
   * The everyday tests that run first, such as `unit/keys`, or the cases of the contracts on one store (`published`). All others
   * follow if they notice nothing.
   */
  first: string;
  /** A file of integration tests, if only a machine with special programs shows the slip. */
  integration?: string;
}

type Change = readonly [promise: string, file: string, before: string, after: string, integration?: string];

/** The slips of a folder, all with the same tests. */
export function slipsOf(folder: string, first: string, changes: readonly Change[]): Slip[] {
  return changes.map(([promise, file, before, after, integration]) => ({
    ...{ promise, file: `lib/${folder}/${file}`, before, after, first },
    ...(integration !== undefined && { integration }),
  }));
}
