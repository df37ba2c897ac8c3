/** Reads the pets of an import, a JSON object on each line (NDJSON). */

import { parseNewPet, type PetDraft } from "../../pet.ts";
import { differingLength } from "../process/suggestion.ts";
import { readLines } from "./lines.ts";

/** The pets of a source of NDJSON, and what it has beside them. */
export interface PetLines {
  pets: PetDraft[];
  /** The lines that are no pets, in their order. */
  badLines: BadLine[];
  /** The names of members that a pet does not have. Such a member does not make its line bad. */
  ignoredNames: Set<string>;
}

export interface BadLine {
  /** The number of the line, from 1. */
  number: number;
  /** Clauses that say what is wrong. Their subject is "it", the line. */
  faults: string[];
}

/** Reads a source to its end. A blank line is ignored, and a missing status means available. */
export async function readPetLines(source: AsyncIterable<Uint8Array>): Promise<PetLines> {
  const pets: PetDraft[] = [];
  const badLines: BadLine[] = [];
  const ignoredNames = new Set<string>();
  let number = 0;
  for await (const lines of readLines(source)) {
    for (const line of lines) {
      number++;
      if (line.trim() === "") continue;
      const petOrFaults = parsePet(line, ignoredNames);
      if (Array.isArray(petOrFaults)) badLines.push({ number, faults: petOrFaults });
      else pets.push(petOrFaults);
    }
  }
  return { pets, badLines, ignoredNames };
}

/**
 * Parses a line.
 *
 * @param ignoredNames Gets the names of ignored members, unless the result is faults because of a name.
 * @returns The pet, or the faults of the line.
 */
function parsePet(line: string, ignoredNames: Set<string>): PetDraft | string[] {
  let petOrFaults: PetDraft | string[];
  try {
    petOrFaults = parseNewPet(line, "available", "it");
  } catch (error) {
    return [`it is not JSON: ${(error as SyntaxError).message}`];
  }
  const names = unknownNames(line);
  const misspelt = names.flatMap((name) => {
    const meant = similarMember(name);
    return meant === undefined ? [] : [`it has a member ${JSON.stringify(name)}, which must be "${meant}"`];
  });
  if (misspelt.length > 0) return misspelt;
  for (const name of names) ignoredNames.add(name);
  return petOrFaults;
}

const MEMBERS = ["name", "categoryId", "status"];

/** The names that are not reported as ignored. An export has ids, so that a line with one is usual, though the store gives a new id. */
const KNOWN = new Set(["id", ...MEMBERS]);

/** @param line Is valid JSON. */
function unknownNames(line: string): string[] {
  const body: unknown = JSON.parse(line);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return Object.keys(body).filter((name) => !KNOWN.has(name));
}

/**
 * The member of a pet whose letters an unknown name has, but for one of them, or in another order. Case, accents, spaces, punctuation and
 * invisible characters do not count. Such a name is a mistake, and not a member to ignore.
 */
function similarMember(name: string): string | undefined {
  const letters = lettersOf(name);
  return MEMBERS.find((member) => {
    const expected = lettersOf(member);
    return differingLength(letters, expected) <= 1 || sorted(letters) === sorted(expected);
  });
}

function sorted(letters: string): string {
  return [...letters].sort().join("");
}

function lettersOf(name: string): string {
  return name.normalize("NFKD").replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}
