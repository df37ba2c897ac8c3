import { statSync, writeFile } from "node:fs";
import { promisify } from "node:util";
import { requireNoLogName } from "../../stores/sqlite/file_names.ts";
import { formatPetCount } from "../process/messages.ts";
import { publishFile } from "../process/new_files.ts";
import { isBrokenPipe, type Sink, writeAll } from "../process/writers.ts";
import { SETTINGS } from "../settings/server_settings.ts";
import { findSharedStore, type SharedStore } from "../settings/store_setting.ts";
import { declareCommand, STANDARD } from "./command.ts";

export const EXPORT = declareCommand({
  summary: "write all pets of the store to a file or to standard output",
  options: { store: SETTINGS.store },
  operand: "file",
  isOperandOptional: true,
  about:
    "The export has the pets of one moment; servers may use the store meanwhile. The format is NDJSON: each line has a pet as the API " +
    "shows it, in the order of the ids. The command does not replace an existing file.",
  examples: [
    "petstore export pets.ndjson",
    "petstore export | gzip > pets.ndjson.gz",
    'petstore export | grep \'"status":"sold"\'',
  ],
  failure: "The export failed",
  async run(values, { output, sinks, environment }, operand) {
    const store = await findSharedStore(values.store, environment);
    if (operand === "" || operand === STANDARD) return await exportToOutput(store, sinks.output);
    const pets = await exportToFile(store, operand);
    output.add(`${operand}: ${formatPetCount(pets)}, ${statSync(operand).size} bytes`);
  },
});

/** @returns The exit status, if it is not 0. */
async function exportToOutput(store: SharedStore, output: Sink): Promise<number | void> {
  try {
    await exportPets(store, (bytes) => writeAll(output, bytes));
  } catch (error) {
    // If the reader closes the pipe, as head does, the export ends without a message.
    if (isBrokenPipe(error)) return 1;
    throw error;
  }
}

/** @returns How many pets were written. */
async function exportToFile(store: SharedStore, path: string): Promise<number> {
  // SQLite would take a file beside a database for its log, and overwrite or delete it.
  requireNoLogName(path);
  // A write that ends in a later turn of the event loop lets signals through. With writeSync(),
  // none would come before the end.
  const write = promisify(writeFile);
  return await publishFile(path, (_, file, signal) =>
    exportPets(store, async (bytes) => {
      await write(file, bytes);
      signal.throwIfAborted();
    }));
}

/** @returns How many pets were written. */
async function exportPets(store: SharedStore, write: (bytes: Uint8Array) => Promise<void>): Promise<number> {
  const encoder = new TextEncoder();
  let total = 0;
  await store.export(async (text, pets) => {
    await write(encoder.encode(`${text}\n`));
    total += pets;
  });
  return total;
}
