/** The files of imports and exports. */

import { createReadStream, type Stats, statSync } from "node:fs";
import process from "node:process";
import type { ExportFormat } from "../../stores/pet_exporter.ts";
import { codeOf } from "../folders.ts";
import { firstLine, SettingError, startError } from "../start_error.ts";

/** The name of standard input or standard output. */
export const STANDARD = "-";

const FORMATS: readonly ExportFormat[] = ["ndjson", "csv"];

/** How many bytes are read at a time. */
const BLOCK = 256 * 1024;

/**
 * The format of a file.
 *
 * @param given The value of the flag.
 * @param name The name of the file, whose end tells the format.
 * @param fallback If neither tells it.
 * @throws {SettingError} If there is none.
 */
export function readFormat(given: string | undefined, name: string, fallback?: ExportFormat): ExportFormat {
  const ending = /\.(?:(csv)|ndjson|jsonl)$/i.exec(name);
  const wanted = given ?? (ending ? (ending[1] ? "csv" : "ndjson") : fallback);
  const format = FORMATS.find((format) => format === wanted);
  if (format !== undefined) return format;
  if (given !== undefined) throw new SettingError(`--format must be ndjson or csv, not ${JSON.stringify(given)}`);
  throw new SettingError("The format is not known; add --format ndjson or --format csv");
}

/** A file, a pipe or standard input. */
export interface Source {
  bytes: AsyncIterable<Uint8Array>;
  /** Undefined unless it is a file. */
  size: number | undefined;
}

/**
 * Opens a source, and reads its beginning, so that nothing is done with one that cannot be read.
 *
 * @throws {SettingError} If it cannot be read.
 */
export async function openSource(path: string): Promise<Source> {
  const { bytes, size } = findSource(path);
  const blocks = bytes[Symbol.asyncIterator]();
  const first = await blocks.next();
  return { bytes: continued(first, blocks), size };
}

async function* continued(
  first: IteratorResult<Uint8Array>,
  blocks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let block = first; !block.done; block = await blocks.next()) yield block.value;
}

function findSource(path: string): Source {
  if (path === STANDARD) return { bytes: readable(process.stdin, "Standard input"), size: undefined };
  const stats = inspect(path);
  if (stats.isDirectory()) throw new SettingError(`${path} cannot be read: it is a folder`);
  return {
    bytes: readable(createReadStream(path, { highWaterMark: BLOCK }), path),
    size: stats.isFile() ? stats.size : undefined,
  };
}

function inspect(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new SettingError(`${path} does not exist`);
    throw unreadable(path, error);
  }
}

async function* readable(stream: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): SettingError {
  return startError(`${name} cannot be read: ${firstLine(error)}`, error);
}

/** Whether the reader of a pipe has gone, as `head` does when it has enough. */
export function isBrokenPipe(error: unknown): boolean {
  return codeOf(error) === "EPIPE" || (error instanceof Error && error.name === "BrokenPipe");
}
