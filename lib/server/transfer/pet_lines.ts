/** Reads the pets of an import, a JSON object on each line (NDJSON). */

import { parseNewPet, type PetDraft } from "../../pet.ts";

/** What a source of NDJSON has. */
export interface PetLines {
  pets: PetDraft[];
  /** A text for each line that is no pet: its number, and what is wrong with it. */
  badLines: string[];
}

/**
 * Reads a source to its end. A blank line is ignored, and a missing status means available.
 *
 * @throws {TypeError} If the source is not UTF-8.
 */
export async function readPetLines(source: AsyncIterable<Uint8Array>): Promise<PetLines> {
  const pets: PetDraft[] = [];
  const badLines: string[] = [];
  let number = 0;
  for await (const lines of readLines(source)) {
    for (const line of lines) {
      number++;
      if (line.trim() === "") continue;
      const petOrFaults = parseLine(line);
      if (Array.isArray(petOrFaults)) badLines.push(`Line ${number}: ${petOrFaults.join("; ")}`);
      else pets.push(petOrFaults);
    }
  }
  return { pets, badLines };
}

/**
 * Yields, for each block of the source, a list of the lines that end in it, which may be empty. A line is text without its end. A byte order
 * mark at the beginning is left out. For speed, lines come in lists: each `yield` costs some turns of the microtask queue.
 *
 * @throws {TypeError} If the source is not UTF-8.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  /** The beginning of the line that has not ended. */
  let rest = "";
  for await (const block of source) {
    const lines = (rest + decoder.decode(block, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield lines;
  }
  // The last line may lack its end.
  yield [rest + decoder.decode()];
}

/** The members that a line may have. An export has ids, so a line may have one, though the store gives a new id. */
const MEMBERS = ["id", "name", "categoryId", "status"];

/**
 * Parses a line. A member that a pet does not have is a fault: if `Status` were ignored, every pet of the file would become available.
 *
 * @returns The pet of the line, or the clauses that say why it has none. Their subject is "it", the line.
 */
function parseLine(line: string): PetDraft | string[] {
  let petOrFaults: PetDraft | string[];
  try {
    petOrFaults = parseNewPet(line, "available", "it");
  } catch (error) {
    return [`it is not JSON: ${(error as SyntaxError).message}`];
  }
  if (Array.isArray(petOrFaults)) return petOrFaults;
  const unknown = Object.keys(JSON.parse(line)).filter((name) => !MEMBERS.includes(name));
  return unknown.length === 0 ? petOrFaults : unknown.map((name) => `it has an unknown member ${JSON.stringify(name)}`);
}
