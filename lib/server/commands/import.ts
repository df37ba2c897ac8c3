import { createReadStream } from "node:fs";
import process from "node:process";
import { untilAborted } from "../../promises.ts";
import { formatPetCount } from "../process/messages.ts";
import { untilInterrupted } from "../process/runtime.ts";
import { explain, SettingError } from "../process/start_error.ts";
import { SWITCH } from "../settings/formats.ts";
import { SETTINGS } from "../settings/server_settings.ts";
import { findSharedStore } from "../settings/store_setting.ts";
import { declareCommand, STANDARD } from "./command.ts";
import { readPetLines } from "./pet_lines.ts";

/** How many bad lines, and how many names of ignored members, the report shows. */
const MAX_SHOWN = 20;

export const IMPORT = declareCommand({
  summary: "add the pets of a file to the store: all, or none",
  options: { store: SETTINGS.store, "dry-run": { format: SWITCH, help: "check all lines and add nothing" } },
  operand: "file",
  about:
    "The file is NDJSON: each line is a JSON object, as in the body of a POST. A pet needs name and categoryId; without a status it is " +
    "available. The command checks all lines first. Then one transaction adds all pets, and the store gives them new ids. Servers may " +
    "use the store meanwhile, but their creates wait. If a line is not a valid pet, or the import is stopped, no pet is added.",
  examples: [
    "petstore import pets.ndjson --dry-run",
    "petstore import pets.ndjson --store sqlite:/var/lib/petstore/data/petstore.db",
    "zcat pets.ndjson.gz | petstore import -",
  ],
  mayLoseOutput: true,
  failure: "The import failed",
  run: ({ store, "dry-run": isDry }, { output, report, environment }, operand) =>
    untilInterrupted(async (signal) => {
      const sourceName = operand === STANDARD ? "standard input" : operand;
      const shared = await findSharedStore(store, environment);
      const { pets, badLines, ignoredNames } = await readPetLines(readSource(operand, signal));
      if (ignoredNames.size > 0) {
        const names = shorten(Array.from(ignoredNames, (name) => JSON.stringify(name)));
        report(`Members that a pet does not have are ignored: ${names.join(", ")}`);
      }
      if (badLines.length > 0) {
        shorten(badLines).forEach(report);
        const count = badLines.length === 1 ? "1 line" : `${badLines.length} lines`;
        throw new SettingError(`${sourceName} has ${count} that cannot be added, so nothing was added`);
      }
      if (pets.length === 0) throw new SettingError(`${sourceName} has no pets`);
      if (!isDry) {
        const { isNew } = await shared.import(pets, signal);
        if (isNew) report(`${shared.description} is new`);
      }
      output.add(`${sourceName}: ${formatPetCount(pets.length)} ${isDry ? "can be added" : "added"}`);
    }),
});

/** The first items of a list, and how many there are beside them. */
function shorten(items: readonly string[]): string[] {
  if (items.length <= MAX_SHOWN) return [...items];
  return [...items.slice(0, MAX_SHOWN), `and ${items.length - MAX_SHOWN} more`];
}

/** How many bytes of a file are read at a time. */
const BLOCK = 256 * 1024;

/**
 * Reads a file, a named pipe or standard input.
 *
 * @param signal Ends the reading with its reason, also while a pipe has no writer.
 * @throws {SettingError} If the file cannot be read.
 */
async function* readSource(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const name = path === STANDARD ? "Standard input" : path;
  const source = path === STANDARD ? process.stdin : createReadStream(path, { highWaterMark: BLOCK });
  const blocks: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await untilAborted(signal, blocks.next());
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw explain(`${name} cannot be read`, error);
  }
}
