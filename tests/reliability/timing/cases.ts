/** The comparisons: the key check as the petstore uses it, and checks that leak on purpose. */

import { createAuthenticate } from "../../../lib/access/authentication.ts";
import type { ApiKeys } from "../../../lib/access/keys.ts";
import { createContext } from "../../support/context.ts";
import { createGuesses, createKey, type Guesses, rightUpToTheLast, wrongFromTheFirst } from "./guesses.ts";
import type { Subject } from "./measure.ts";

export interface TimingCase extends Subject {
  name: string;
  /** `same`: a difference is a leak. `control`: it must be found. `told`: SECURITY.md names it. */
  expected: "same" | "control" | "told";
  /** How much of the time it gets. */
  weight: number;
  /** No verdict on fewer measurements of a class. */
  fewest: number;
}

const REPEATS = 16;

/** Digests that share their first 31 bytes: a comparison that stops early looks at every one of them. */
const CLOSE_DIGESTS = 255;

export async function createCases(): Promise<TimingCase[]> {
  const [key, second, third] = [createKey(), createKey(), createKey()];
  const many = Array.from({ length: 100 }, createKey);
  const digest = await closeDigests();
  const check = (keys: string[]) => createCheck(keys);
  const sync = { repeats: REPEATS, weight: 1, fewest: 10_000 };
  // A digest takes so long that as many would take a minute.
  const later = { repeats: 1, weight: 2, fewest: 1_000 };
  return [
    { ...sync, name: "one key", expected: "same", check: check([key]), guesses: () => apart([key]) },
    { ...sync, name: "three keys", expected: "same", check: check([second, key, third]), guesses: () => apart([key]) },
    { ...sync, name: "a hundred keys", expected: "same", check: check(many), guesses: () => apart(many) },
    {
      ...sync,
      name: "one key, both classes alike",
      expected: "same",
      check: check([key]),
      guesses: () => createGuesses(() => wrongFromTheFirst(key), () => wrongFromTheFirst(key)),
    },
    {
      ...sync,
      name: "control: stops at the first wrong character",
      expected: "control",
      check: createCheck((given = "") => matchesUntilWrong(given, key)),
      guesses: () => apart([key]),
    },
    {
      ...sync,
      name: "16 against 67 characters",
      expected: "told",
      check: check([key]),
      guesses: () => createGuesses(() => createKey().slice(0, 16), createKey),
    },
    {
      ...later,
      name: `${CLOSE_DIGESTS} digests`,
      expected: "same",
      check: check(digest.all.map((bytes) => `sha256:${bytes.toHex()}`)),
      guesses: digest.guesses,
    },
    {
      ...later,
      name: "control: digests, stops at the first wrong byte",
      expected: "control",
      check: createCheck((given = "") => someDigestMatches(given, digest.all)),
      guesses: digest.guesses,
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

/**
 * The guess whose digest comes closest to valid ones: right in all bytes but the last. The other class is random keys,
 * whose digests are wrong from the first byte on.
 */
async function closeDigests(): Promise<{ all: Uint8Array[]; guesses: Subject["guesses"] }> {
  const close = createKey();
  const nearest = await sha256(close);
  const all = Array.from({ length: CLOSE_DIGESTS }, (_, i) => nearest.with(31, nearest[31]! ^ (i + 1)));
  return { all, guesses: () => createGuesses(createKey, () => close) };
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** A careless comparison of strings. */
function matchesUntilWrong(given: string, key: string): boolean {
  if (given.length !== key.length) return false;
  for (let i = 0; i < key.length; i++) if (given.charCodeAt(i) !== key.charCodeAt(i)) return false;
  return true;
}

async function someDigestMatches(given: string, digests: Uint8Array[]): Promise<boolean> {
  const digest = await sha256(given);
  return digests.some((candidate) => candidate.every((byte, i) => byte === digest[i]));
}
