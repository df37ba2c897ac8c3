/** The comparisons: the key check as the petstore uses it, and checks that leak on purpose. */

import { createAuthenticate } from "../../../lib/access/authentication.ts";
import type { ApiKeys } from "../../../lib/access/keys.ts";
import { createContext } from "../../support/context.ts";
import { createGuesses, createKey, type Guesses, rightUpToTheLast, wrongFromTheFirst } from "./guesses.ts";
import type { Subject } from "./measure.ts";

export interface TimingCase extends Subject {
  name: string;
  /** `same`: a difference is a leak. `control`: it must be found. */
  expected: "same" | "control";
}

export function createCases(): TimingCase[] {
  const [key, second, third] = [createKey(), createKey(), createKey()];
  const many = Array.from({ length: 100 }, createKey);
  return [
    { name: "one key", expected: "same", check: createCheck([key]), guesses: () => apart([key]) },
    { name: "three keys", expected: "same", check: createCheck([second, key, third]), guesses: () => apart([key]) },
    { name: "a hundred keys", expected: "same", check: createCheck(many), guesses: () => apart(many) },
    {
      name: "control: stops at the first wrong character",
      expected: "control",
      check: createCheck((given = "") => matchesUntilWrong(given, key)),
      guesses: () => apart([key]),
    },
  ];
}

/** The key check, of an Authorization header alone. */
function createCheck(keys: ApiKeys): Subject["check"] {
  const authenticate = createAuthenticate(keys);
  return (authorization) => authenticate(createContext({ authorization }));
}

/** Guesses that are wrong from their first character on, and guesses that are right up to the last. */
function apart(keys: string[]): [Guesses, Guesses] {
  const at = (i: number) => keys[i % keys.length]!;
  return createGuesses((i) => wrongFromTheFirst(at(i)), (i) => rightUpToTheLast(at(i)));
}

/** A careless comparison of strings. */
function matchesUntilWrong(given: string, key: string): boolean {
  if (given.length !== key.length) return false;
  for (let i = 0; i < key.length; i++) if (given.charCodeAt(i) !== key.charCodeAt(i)) return false;
  return true;
}
