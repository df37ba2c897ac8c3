/**
 * The members of a line of an import that a pet does not have. Most are ignored. One whose name is nearly that of a member of a pet is a mistake:
 * if it were ignored, every pet of a file with `Status` would become available.
 */

import { differingLength } from "../process/suggestion.ts";

const MEMBERS = ["name", "categoryId", "status"];

/** The names that are not reported as ignored. An export has ids, so that a line with one is usual, though the store gives a new id. */
const KNOWN = new Set(["id", ...MEMBERS]);

/**
 * The names of the members that a pet does not have.
 *
 * @param line Is valid JSON. If it is no object, it has no members.
 */
export function unknownNames(line: string): string[] {
  const body: unknown = JSON.parse(line);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return Object.keys(body).filter((name) => !KNOWN.has(name));
}

/**
 * The member of a pet that an unknown name may mean: its letters are the same but for one of them, or in another order. Case, accents, spaces,
 * punctuation and invisible characters do not count.
 */
export function similarMember(name: string): string | undefined {
  const letters = lettersOf(name);
  return MEMBERS.find((member) => {
    const expected = lettersOf(member);
    return differingLength(letters, expected) <= 1 || sorted(letters) === sorted(expected);
  });
}

function lettersOf(name: string): string {
  return name.normalize("NFKD").replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

function sorted(letters: string): string {
  return [...letters].sort().join("");
}
