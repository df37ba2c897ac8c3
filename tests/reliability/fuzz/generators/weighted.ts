/** Choices, some of which come more often than others. */

import fc from "fast-check";

/** How often a choice comes beside the others, and what it is; of a list, any of its values. */
export type Choice<T> = [weight: number, choice: fc.Arbitrary<T> | readonly T[]];

/** One of the choices. A finding is shrunk towards the first, so that should be the plainest. */
export function weighted<T>(...choices: Choice<T>[]): fc.Arbitrary<T> {
  const options = choices.map(([weight, choice]) => ({
    weight,
    arbitrary: choice instanceof fc.Arbitrary ? choice : fc.constantFrom(...choice),
  }));
  return fc.oneof({ withCrossShrink: true }, ...options);
}
