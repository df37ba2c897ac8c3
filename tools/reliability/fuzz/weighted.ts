import fc from "fast-check";

/** A choice with its weight. A list stands for any of its values. */
export type Choice<T> = [weight: number, choice: fc.Arbitrary<T> | readonly T[]];

/** Chooses one of the choices. Findings shrink towards the first, which should be the plainest. */
export function weighted<T>(...choices: Choice<T>[]): fc.Arbitrary<T> {
  const options = choices.map(([weight, choice]) => ({
    weight,
    arbitrary: choice instanceof fc.Arbitrary ? choice : fc.constantFrom(...choice),
  }));
  return fc.oneof({ withCrossShrink: true }, ...options);
}
