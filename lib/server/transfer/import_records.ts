/** Adds the pets of a source to a store, each of them once. */

import { createHash } from "node:crypto";
import { type NewPet, parseNewPet } from "../../pet.ts";
import type { ExportFormat } from "../../stores/pet_exporter.ts";
import type { KnownChunk, PetImporter } from "../../stores/pet_importer.ts";
import { SettingError } from "../start_error.ts";
import { readCsvPet, readHeader } from "./csv.ts";
import { findCsvEnd, findLineEnd, MAX_RECORDS, RecordReader, type SourceRecord } from "./record_reader.ts";

/** The target duration of a transaction, in milliseconds. Creates of a server wait for it. */
const TARGET_DURATION = 100;

/** The first and the smallest number of records in a transaction. */
const INITIAL_RECORDS = 4_000, MIN_RECORDS = 500;

/** The progress of an import. */
export interface ImportCounts {
  /** Pets that were added; without a store, pets that could be. */
  added: number;
  /** Pets of this source that an earlier import had added. */
  known: number;
  /** Records that are no pets. */
  bad: number;
  /** Bytes of the source. */
  bytes: number;
}

/** A record that is no pet. */
export interface BadRecord {
  line: number;
  faults: readonly string[];
}

/** Thrown for a record that stops an import. */
export class BadRecordError extends SettingError {
  constructor({ line, faults }: BadRecord) {
    super(`Line ${line}: ${faults.join("; ")}`);
  }
}

export interface ImportOptions {
  format: ExportFormat;
  /** The same source is added once for each number. */
  copy: number;
  /** Absent to check the records only. */
  importer: PetImporter | undefined;
  /** Whether the import continues after a bad record. If not, no pet of the chunk is added. */
  skipsBad: boolean;
  onBad(record: BadRecord): void;
  onProgress(counts: ImportCounts): void;
}

/** Reads one record. Undefined if it is blank. */
type ReadPet = (record: SourceRecord) => Required<NewPet> | string[] | undefined;

/**
 * Imports a source. Each transaction adds a chunk of records, and stores the digest of the source up to its end. So a source that
 * was imported before, wholly or in part, is recognized from its beginning, however it was divided then.
 *
 * @param counts Kept up to date, also if the import fails.
 * @throws {SettingError} If a record is bad or too long, or the header of CSV is unusable.
 */
export async function importRecords(
  source: AsyncIterable<Uint8Array>,
  { format, copy, importer, skipsBad, onBad, onProgress }: ImportOptions,
  counts: ImportCounts,
): Promise<void> {
  const reader = new RecordReader(source, format === "csv" ? findCsvEnd : findLineEnd);
  const { readPet, header } = await readFormatHeader(reader, format);
  let parent = digestOf(`petstore import 1\n${format}\n${copy}\n${header}`);
  let size = INITIAL_RECORDS;
  for (;;) {
    await reader.fill();
    if (reader.count === 0) return;
    const followers = await importer?.followers(parent) ?? [];
    const known = findKnown(reader, parent, followers);
    if (known) {
      reader.skip(known.records);
      counts.known += known.pets;
      parent = known.digest;
    } else {
      const count = Math.min(size, reader.count);
      const { pets, bad } = readPets(reader.peek(count), readPet);
      if (bad[0] && !skipsBad) throw new BadRecordError(bad[0]);
      const digest = reader.digest(parent, count);
      const startedAt = performance.now();
      const chunk = { parent, digest, records: count, pets };
      if (importer && !await importer.add(chunk, followers.length)) continue;
      size = nextSize(size, performance.now() - startedAt);
      reader.skip(count);
      counts.added += pets.length;
      counts.bad += bad.length;
      bad.forEach(onBad);
      parent = digest;
    }
    counts.bytes = reader.skippedBytes;
    onProgress(counts);
  }
}

/** Reads the header of CSV. It defines the columns, so it is part of the digest. */
async function readFormatHeader(
  reader: RecordReader,
  format: ExportFormat,
): Promise<{ readPet: ReadPet; header: string }> {
  if (format === "ndjson") return { readPet: readJsonPet, header: "" };
  await reader.fill();
  const [record = { line: 1, text: "" }] = reader.peek(Math.min(1, reader.count));
  const columns = readHeader(record);
  reader.skip(1);
  return {
    readPet: ({ text }) => text === undefined ? NOT_UTF8 : text === "" ? undefined : readCsvPet(text, columns),
    header: record.text ?? "",
  };
}

const NOT_UTF8 = ["it is not valid UTF-8"];

function readJsonPet({ text }: SourceRecord): ReturnType<ReadPet> {
  if (text === undefined) return NOT_UTF8;
  try {
    return parseNewPet(text, "available", "it");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // JSON.parse() refuses a blank line too, so only invalid lines need this test.
    return text.trim() === "" ? undefined : [`it is not JSON: ${error.message}`];
  }
}

/** The longest chunk of an earlier import with which the records begin. */
function findKnown(reader: RecordReader, parent: string, followers: readonly KnownChunk[]): KnownChunk | undefined {
  return followers.toSorted((one, other) => other.records - one.records)
    .find(({ records, digest }) => records <= reader.count && reader.digest(parent, records) === digest);
}

function readPets(records: readonly SourceRecord[], readPet: ReadPet): { pets: Required<NewPet>[]; bad: BadRecord[] } {
  const pets: Required<NewPet>[] = [], bad: BadRecord[] = [];
  for (const record of records) {
    const pet = readPet(record);
    if (Array.isArray(pet)) bad.push({ line: record.line, faults: pet });
    else if (pet !== undefined) pets.push(pet);
  }
  return { pets, bad };
}

/** Adapts the records of a transaction to the speed of the store. */
function nextSize(size: number, duration: number): number {
  const target = Math.round(size * TARGET_DURATION / Math.max(duration, 1));
  return Math.max(MIN_RECORDS, Math.min(target, 2 * size, MAX_RECORDS));
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
