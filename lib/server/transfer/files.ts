/** The files of imports and exports. */

import { createReadStream, type Stats, statSync } from "node:fs";
import process from "node:process";
import type { ExportFormat } from "../../stores/pet_exporter.ts";
import { codeOf } from "../folders.ts";
import { readChoice } from "../server_settings.ts";
import { explain, SettingError } from "../start_error.ts";

/** The name of standard input or standard output. */
export const STANDARD = "-";

const FORMATS: readonly ExportFormat[] = ["ndjson", "csv"];

/** How many bytes are read at a time. */
const BLOCK = 256 * 1024;

/**
 * Determines the format of a file.
 *
 * @param flag The value of the flag.
 * @param name The name of the file, whose extension determines the format without a flag.
 * @param fallback The format without either.
 * @throws {SettingError} If the format is unknown.
 */
export function readFormat(flag: string | undefined, name: string, fallback?: ExportFormat): ExportFormat {
  const extension = /\.(?:(csv)|ndjson|jsonl)$/i.exec(name);
  if (flag !== undefined) return readChoice("--format", flag, FORMATS);
  const format = extension ? (extension[1] ? "csv" : "ndjson") : fallback;
  if (format !== undefined) return format;
  throw new SettingError("The format is not known; add --format ndjson or --format csv");
}

/** A file, a pipe or standard input. */
export interface Source {
  bytes: AsyncIterable<Uint8Array>;
  /** Undefined unless it is a file. */
  size: number | undefined;
}

/**
 * Opens a source, and reads its beginning, so that a source that cannot be read fails here.
 *
 * @throws {SettingError} If it cannot be read.
 */
export async function openSource(path: string): Promise<Source> {
  const { bytes, size } = findSource(path);
  const blocks = bytes[Symbol.asyncIterator]();
  const first = await blocks.next();
  return { bytes: prepend(first, blocks), size };
}

async function* prepend(
  first: IteratorResult<Uint8Array>,
  blocks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let block = first; !block.done; block = await blocks.next()) yield block.value;
}

function findSource(path: string): Source {
  if (path === STANDARD) return { bytes: withReadErrors(process.stdin, "Standard input"), size: undefined };
  const stats = inspect(path);
  if (stats.isDirectory()) throw new SettingError(`${path} cannot be read: it is a folder`);
  return {
    bytes: withReadErrors(createReadStream(path, { highWaterMark: BLOCK }), path),
    size: stats.isFile() ? stats.size : undefined,
  };
}

function inspect(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new SettingError(`${path} does not exist`);
    throw explain(`${path} cannot be read`, error);
  }
}

async function* withReadErrors(stream: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw explain(`${name} cannot be read`, error);
  }
}
