/** The files of imports and exports. */

import { open } from "node:fs/promises";
import process from "node:process";
import type { ExportFormat } from "../../stores/pet_exporter.ts";
import { type CommandArguments, oneOf } from "../command_arguments.ts";
import { codeOf } from "../folders.ts";
import { explain, SettingError } from "../start_error.ts";

/** The name of standard input or standard output. */
export const STANDARD = "-";

const EXTENSIONS: Readonly<Record<string, ExportFormat>> = { ndjson: "ndjson", jsonl: "ndjson", csv: "csv" };

/** How many bytes are read at a time. */
const BLOCK = 256 * 1024;

/**
 * Determines the format of the file that a command names: by its flag, else by the extension of the file.
 *
 * @param fallback The format of a name without an extension.
 * @throws {SettingError} If the format is unknown.
 */
export function readFormat(args: CommandArguments, fallback?: ExportFormat): ExportFormat {
  const given = args.optional("format", oneOf("ndjson", "csv"));
  const extension = /\.([^./]*)$/.exec(args.operand)?.[1]?.toLowerCase();
  const format = given ?? (extension === undefined ? fallback : EXTENSIONS[extension]);
  if (format !== undefined) return format;
  throw new SettingError(
    "The format is not known; add --format ndjson or --format csv, or end the name with .ndjson, .jsonl or .csv",
  );
}

/** A file, a pipe or standard input. */
export interface Source {
  bytes: AsyncIterable<Uint8Array>;
  /** The share of a file that has been read, from 0 to 1. Undefined if its size is not known. */
  share(): number | undefined;
}

/** @throws {SettingError} If it cannot be opened. */
export async function openSource(path: string): Promise<Source> {
  if (path === STANDARD) return { bytes: withReadErrors(process.stdin, "Standard input"), share: () => undefined };
  try {
    const file = await open(path);
    const stats = await file.stat();
    if (stats.isDirectory()) throw new SettingError(`${path} cannot be read: it is a folder`);
    const stream = file.createReadStream({ highWaterMark: BLOCK });
    // It may grow meanwhile.
    const share = () => stats.isFile() ? Math.min(1, stream.bytesRead / stats.size) : undefined;
    return { bytes: withReadErrors(stream, path), share };
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
