/** Reads the pets of an import, a JSON object on each line (NDJSON). */

import { parseNewPet, type PetDraft } from "../../pet.ts";
import { SettingError } from "../process/start_error.ts";
import { differingLength } from "../process/messages.ts";

/** The pets of a source of NDJSON, and what it has beside them. */
export interface PetLines {
  pets: PetDraft[];
  /** A text for each line that is no pet: its number, and what is wrong with it. */
  badLines: string[];
  /** The names of members that a pet does not have. Such a member does not make its line bad. */
  ignoredNames: Set<string>;
}

/**
 * Reads a source to its end. A blank line is ignored, and a missing status means available.
 *
 * @throws {SettingError} As {@link readLines}.
 */
export async function readPetLines(source: AsyncIterable<Uint8Array>): Promise<PetLines> {
  const pets: PetDraft[] = [];
  const badLines: string[] = [];
  const ignoredNames = new Set<string>();
  let number = 0;
  for await (const lines of readLines(source)) {
    for (const line of lines) {
      number++;
      if (line.trim() === "") continue;
      const petOrFaults = parseLine(line, ignoredNames);
      if (Array.isArray(petOrFaults)) badLines.push(`Line ${number}: ${petOrFaults.join("; ")}`);
      else pets.push(petOrFaults);
    }
  }
  return { pets, badLines, ignoredNames };
}

/** The length of the longest line that may be cut by the blocks of its source, in characters. */
const MAX_LINE_LENGTH = 1024 * 1024;

/**
 * Yields, for each block of the source, a list of the lines that end in it, which may be empty. A
 * line is text without its end. A byte order mark at the beginning is left out. For speed, lines
 * come in lists: each `yield` costs some turns of the microtask queue.
 *
 * @throws {SettingError} If a line is longer than 1 MiB, or the source is not UTF-8 or begins as a
 * JSON array.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  /** How many lines have ended. */
  let endedCount = 0;
  /** The beginning of the line that has not ended. */
  let rest = "";
  for await (const block of source) {
    const text = decode(block);
    if (endedCount === 0 && rest === "") requireNoArray(text);
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

/**
 * Refuses a JSON array at its beginning. Otherwise, an array over many lines would have a report
 * for each, and one on a single line would be a line that is too long.
 */
function requireNoArray(beginning: string): void {
  if (!beginning.trimStart().startsWith("[")) return;
  throw new SettingError(
    "The pets are a JSON array, but an import reads one pet from each line; jq -c '.[]' writes such lines",
  );
}

/**
 * Parses a line.
 *
 * Most members that a pet does not have are ignored. One whose name is nearly that of a member of a
 * pet is a mistake: if it were ignored, every pet of a file with `Status` would become available.
 *
 * @param ignoredNames Gets the names of the members that are ignored.
 * @returns The pet of the line, or the clauses that say why it has none. Their subject is "it", the
 * line.
 */
function parseLine(line: string, ignoredNames: Set<string>): PetDraft | string[] {
  let petOrFaults: PetDraft | string[];
  try {
    petOrFaults = parseNewPet(line, "available", "it");
  } catch (error) {
    return [`it is not JSON: ${(error as SyntaxError).message}`];
  }
  const unknown = unknownNames(line);
  const misspelt = unknown.flatMap((name) => {
    const member = similarMember(name);
    return member === undefined ? [] : `it has a member ${JSON.stringify(name)}, which must be "${member}"`;
  });
  if (misspelt.length > 0) return misspelt;
  for (const name of unknown) ignoredNames.add(name);
  return petOrFaults;
}

const MEMBERS = ["name", "categoryId", "status"];

/**
 * The names that are not reported as ignored. An export has ids, so that a line with one is usual,
 * though the store gives a new id.
 */
const KNOWN = ["id", ...MEMBERS];

/**
 * The names of the members that a pet does not have.
 *
 * @param line Is valid JSON. If it is no object, it has no members.
 */
function unknownNames(line: string): string[] {
  const body: unknown = JSON.parse(line);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return Object.keys(body).filter((name) => !KNOWN.includes(name));
}

/**
 * The member of a pet that an unknown name may mean: its letters are the same but for one of them,
 * or in another order. Case, spaces, punctuation and invisible characters do not count.
 */
function similarMember(name: string): string | undefined {
  const letters = lettersOf(name);
  return MEMBERS.find((member) => {
    const expected = lettersOf(member);
    return differingLength(letters, expected) <= 1 || sorted(letters) === sorted(expected);
  });
}

function lettersOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

function sorted(letters: string): string {
  return [...letters].sort().join("");
}
