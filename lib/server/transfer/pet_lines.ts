import { parseNewPet, type PetDraft } from "../../pet.ts";
import { readLines } from "./lines.ts";

/** What a source of NDJSON has. */
export interface PetLines {
  pets: PetDraft[];
  /** Lines that are not pets, in their order. */
  bad: { line: number; faults: string[] }[];
  /** Names of members that a pet does not have. */
  ignored: Set<string>;
}

/** Reads a source to its end. A blank line is ignored, and a missing status means available. */
export async function readPetLines(source: AsyncIterable<Uint8Array>): Promise<PetLines> {
  const pets: PetDraft[] = [], bad: PetLines["bad"] = [], ignored = new Set<string>();
  let line = 0;
  for await (const texts of readLines(source)) {
    for (const text of texts) {
      line++;
      if (text?.trim() === "") continue;
      const pet = text === undefined ? ["it is not valid UTF-8"] : parsePet(text, ignored);
      if (Array.isArray(pet)) bad.push({ line, faults: pet });
      else pets.push(pet);
    }
  }
  return { pets, bad, ignored };
}

function parsePet(text: string, ignored: Set<string>): PetDraft | string[] {
  let pet: PetDraft | string[];
  try {
    pet = parseNewPet(text, "available", "it");
  } catch (error) {
    return [`it is not JSON: ${(error as SyntaxError).message}`];
  }
  const names = unknownNames(text);
  const mistaken = names.flatMap((name) => {
    const meant = MEMBERS.get(lettersOf(name));
    return meant === undefined ? [] : [`it has a member ${JSON.stringify(name)}, which must be "${meant}"`];
  });
  if (mistaken.length > 0) return mistaken;
  for (const name of names) ignored.add(name);
  return pet;
}

/** A member whose name differs only in case, spaces, punctuation or invisible characters is a mistake, not an addition. */
const MEMBERS = new Map(["name", "categoryId", "status"].map((name) => [lettersOf(name), name]));

function lettersOf(name: string): string {
  return name.normalize("NFKC").replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

function unknownNames(text: string): string[] {
  const body: unknown = JSON.parse(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return Object.keys(body).filter((name) => !KNOWN.has(name));
}

/** An export has the ids, so that they are no surprise. */
const KNOWN = new Set(["id", ...MEMBERS.values()]);
