import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { parseNewPet, type PetDraft } from "../../pet.ts";
import type { ExportFormat } from "../../stores/pet_exporter.ts";
import type { PetImporter } from "../../stores/pet_importer.ts";
import { SettingError, UnreachableError } from "../process/start_error.ts";
import { readCsvPet, readHeader } from "./csv.ts";
import { type Lookahead, lookAhead, type SourceRecord, textOf, withLineEnd, withoutLineEnd } from "./record_reader.ts";

/** The most records of a transaction, for which creates of a server wait. */
const CHUNK = 2_000;

export interface ImportedPart {
  /** Without an importer, pets that could be added. */
  added: number;
  /** Pets that an earlier import had added. */
  known: number;
  bad: readonly BadRecord[];
  /** The line of a last record without an end, which may be a part. Nothing was done with it. */
  incomplete?: number;
}

export interface BadRecord {
  line: number;
  faults: readonly string[];
  record: SourceRecord;
}

export interface ImportOptions {
  format: ExportFormat;
  copy: number;
  /** Absent to check the records only. */
  importer: PetImporter | undefined;
  /** If not, no pet of the chunk is added. */
  skipsBad: boolean;
  takesLast: boolean;
  /** As a file that grows. */
  grows?: boolean;
  /** Receives the header of CSV and each bad record, also those that an earlier import has skipped. */
  reject?: ((bytes: Uint8Array) => Promise<void>) | undefined;
}

type ReadPet = (text: string) => PetDraft | string[] | undefined;

/**
 * Each transaction adds a chunk, and remembers the digest of the source up to its end. So chunks of earlier imports are
 * found one after the other, whatever their sizes. One with more records than the source had may be of another
 * importer, which has read more of it, so the source is read to its present end before a chunk is added beside it.
 *
 * @throws {SettingError} If a record is bad or too long, or the header of CSV is unusable.
 * @throws {UnreachableError} If another importer was faster, and may have read more of a source that cannot be read
 * again.
 */
export async function* importRecords(
  source: AsyncIterable<Uint8Array>,
  { format, copy, importer, skipsBad, takesLast, grows = false, reject }: ImportOptions,
): AsyncGenerator<ImportedPart> {
  const records = lookAhead(source, format);
  const isWhole = ({ hasEnd }: SourceRecord) => hasEnd || takesLast;
  const [first] = await records.peek(1);
  if (first && format === "csv" && !isWhole(first)) return yield incompletePart(first);
  const { readPet, header } = await readFormatHeader(records, format);
  if (format === "csv") await reject?.(withLineEnd(first!));
  let parent = digestOf(`petstore import 1\n${format}\n${copy}\n${header}`);
  for (let isSlower = false;;) {
    // The longest first, so that a source takes the same way each time: none that is longer and matches can be added later.
    const followers = (await importer?.followers(parent) ?? []).toSorted((a, b) => b.records - a.records);
    const longest = Math.max(CHUNK, followers[0]?.records ?? 0);
    let ahead = await records.peek(longest);
    if (ahead.length === 0) return;
    // A record without an end may have one by now.
    const ended = ahead.filter(({ hasEnd }) => hasEnd).length;
    if (followers.some((each) => each.records > ended)) {
      if (isSlower && !grows) {
        throw new UnreachableError("Another import has added more lines, maybe of the same source");
      }
      records.resume();
      ahead = await records.peek(longest);
    }
    const known = followers.find((each) =>
      each.records <= ahead.length && digestAfter(parent, ahead.slice(0, each.records)) === each.digest
    );
    if (known) {
      parent = known.digest;
      records.skip(known.records);
      const bad = reject ? readPets(ahead.slice(0, known.records), readPet).bad : [];
      for (const { record } of bad) await reject?.(withLineEnd(record));
      yield { added: 0, known: known.pets, bad };
      continue;
    }
    const chunk = ahead.slice(0, CHUNK).filter(isWhole);
    if (chunk.length === 0) return yield incompletePart(ahead[0]!);
    const { pets, bad } = readPets(chunk, readPet);
    if (bad[0] && !skipsBad) throw new SettingError(`Line ${bad[0].line}: ${bad[0].faults.join("; ")}`);
    const digest = digestAfter(parent, chunk);
    // If another importer was faster, its chunk is among the followers now.
    isSlower = !await (importer?.add({ parent, digest, records: chunk.length, pets }, followers.length) ?? true);
    if (isSlower) continue;
    parent = digest;
    records.skip(chunk.length);
    for (const { record } of bad) await reject?.(withLineEnd(record));
    yield { added: pets.length, known: 0, bad };
  }
}

function incompletePart(record: SourceRecord): ImportedPart {
  const isBlank = textOf(record)?.trim() === "";
  return { added: 0, known: 0, bad: [], ...(!isBlank && { incomplete: record.line }) };
}

/** The header defines the columns, so it is part of the digest. */
async function readFormatHeader(
  records: Lookahead,
  format: ExportFormat,
): Promise<{ readPet: ReadPet; header: string }> {
  if (format === "ndjson") return { readPet: readJsonPet, header: "" };
  const [record] = await records.peek(1);
  const header = record ? textOf(record) : "";
  const columns = readHeader(header);
  records.skip(1);
  return { readPet: (text) => text === "" ? undefined : readCsvPet(text, columns), header: header ?? "" };
}

function readJsonPet(text: string): ReturnType<ReadPet> {
  try {
    return parseNewPet(text, "available", "it");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // JSON.parse() refuses a blank line too, so only invalid lines need this test.
    return text.trim() === "" ? undefined : [`it is not JSON: ${error.message}`];
  }
}

function readPets(records: readonly SourceRecord[], readPet: ReadPet): { pets: PetDraft[]; bad: BadRecord[] } {
  const pets: PetDraft[] = [], bad: BadRecord[] = [];
  for (const record of records) {
    const text = textOf(record);
    const pet = text === undefined ? ["it is not valid UTF-8"] : readPet(text);
    if (Array.isArray(pet)) bad.push({ line: record.line, faults: pet, record });
    else if (pet !== undefined) pets.push(pet);
  }
  return { pets, bad };
}

/** The end of the last line does not count. */
function digestAfter(parent: string, records: readonly SourceRecord[]): string {
  return digestOf(parent, withoutLineEnd(Buffer.concat(records.map(({ bytes }) => bytes))));
}

export function digestOf(text: string, bytes: Uint8Array = new Uint8Array()): string {
  return createHash("sha256").update(text).update(bytes).digest("base64url");
}
