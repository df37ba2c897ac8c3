/** Reads the pets of an import, a JSON object on each line (NDJSON). */

import { parseNewPet, type PetDraft } from "../../pet.ts";
import { SettingError } from "../process/start_error.ts";

/** What a source of NDJSON has. */
export interface PetLines {
  pets: PetDraft[];
  /** A text for each line that is no pet: its number, and what is wrong with it. */
  badLines: string[];
}

/**
 * Reads a source to its end. A blank line is ignored, and a missing status means available.
 *
 * @throws {SettingError} As {@link readLines}.
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

/** The length of the longest line that may be cut by the blocks of its source, in characters. */
const MAX_LINE_LENGTH = 1024 * 1024;

/**
 * Yields, for each block of the source, a list of the lines that end in it, which may be empty. A line is text without its end. A byte order
 * mark at the beginning is left out. For speed, lines come in lists: each `yield` costs some turns of the microtask queue.
 *
 * @throws {SettingError} If a line is longer than 1 MiB, or the source is not UTF-8.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  /** How many lines have ended. */
  let endedCount = 0;
  /** The beginning of the line that has not ended. */
  let rest = "";
  for await (const block of source) {
    const text = decode(block);
    // Only the new block can have a line end, so the rest is not searched again: a line may come in many tiny blocks.
    const lines = text.includes("\n") ? (rest + text).split("\n") : [rest + text];
    rest = lines.pop()!;
    endedCount += lines.length;
    if (rest.length > MAX_LINE_LENGTH) {
      throw new SettingError(`Line ${endedCount + 1} is longer than 1 MiB; is a line end missing?`);
    }
    yield lines;
  }
  // The last line may lack its end.
  rest += decode();
  if (rest !== "") yield [rest];

  /** Decodes a block, or without one the end of the source. */
  function decode(block?: Uint8Array): string {
    try {
      return decoder.decode(block, { stream: block !== undefined });
    } catch {
      throw new SettingError(`The text is not valid UTF-8, on line ${endedCount + 1} or soon after it`);
    }
  }
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
  return unknown.length === 0 ? petOrFaults : unknown.map((name) => `a pet has no member ${JSON.stringify(name)}`);
}
