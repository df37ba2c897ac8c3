/** Reads the pets of an import, a JSON object on each line (NDJSON). */

import { parseNewPet, type PetDraft } from "../../pet.ts";
import { readLines } from "./lines.ts";
import { similarMember, unknownNames } from "./member_names.ts";

/** The pets of a source of NDJSON, and what it has beside them. */
export interface PetLines {
  pets: PetDraft[];
  /** The lines that are no pets, in their order. */
  badLines: BadLine[];
  /** The names of members that a pet does not have. Such a member does not make its line bad. */
  ignoredNames: Set<string>;
}

interface BadLine {
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
      const { pet, faults, ignored } = parseLine(line);
      if (pet) pets.push(pet);
      else badLines.push({ number, faults });
      for (const name of ignored) ignoredNames.add(name);
    }
  }
  return { pets, badLines, ignoredNames };
}

/** What a line says: a pet, or the faults for which it is none. */
interface ParsedLine {
  pet?: PetDraft;
  faults: string[];
  /** The names of members that are ignored. */
  ignored: string[];
}

function parseLine(line: string): ParsedLine {
  let petOrFaults: PetDraft | string[];
  try {
    petOrFaults = parseNewPet(line, "available", "it");
  } catch (error) {
    return { faults: [`it is not JSON: ${(error as SyntaxError).message}`], ignored: [] };
  }
  const unknown = unknownNames(line);
  const misspelt = unknown.flatMap(faultOfName);
  if (misspelt.length > 0) return { faults: misspelt, ignored: [] };
  if (Array.isArray(petOrFaults)) return { faults: petOrFaults, ignored: unknown };
  return { pet: petOrFaults, faults: [], ignored: unknown };
}

/** The fault of a name that nearly is that of a member, or none. */
function faultOfName(name: string): string[] {
  const member = similarMember(name);
  return member === undefined ? [] : [`it has a member ${JSON.stringify(name)}, which must be "${member}"`];
}
