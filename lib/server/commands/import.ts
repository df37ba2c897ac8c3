import { readSource, STANDARD } from "../transfer/files.ts";
import { type BadLine, readPetLines } from "../transfer/pet_lines.ts";
import { formatPetCount } from "../process/lines.ts";
import { untilInterrupted } from "../process/process.ts";
import { SettingError } from "../process/start_error.ts";
import type { CommandArguments } from "../settings/arguments.ts";
import { type Command, type Context, readSharedStore } from "./command.ts";

/** How many bad lines, and how many names of ignored members, the report shows. */
const MAX_SHOWN = 20;

export const IMPORT: Command = {
  summary: "add the pets of a file to the store: all, or none",
  flags: { "dry-run": { help: "check all lines and add nothing" } },
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
  isDoneWithoutOutput: true,
  failure: "The import failed",
  run: (args, context) => untilInterrupted((signal) => importFile(args, context, signal)),
};

/** @returns The exit status. */
async function importFile(args: CommandArguments, context: Context, signal: AbortSignal): Promise<number> {
  const sourceName = args.operand === STANDARD ? "standard input" : args.operand;
  const { output, report } = context.writers;
  const { description, shared } = await readSharedStore(args, context);
  const { pets, badLines, ignoredNames } = await readPetLines(readSource(args.operand, signal));
  if (ignoredNames.size > 0) report(describeIgnored([...ignoredNames]));
  if (badLines.length > 0) {
    describeBad(badLines).forEach(report);
    const count = badLines.length === 1 ? "1 line" : `${badLines.length} lines`;
    throw new SettingError(`${sourceName} has ${count} that cannot be added, so nothing was added`);
  }
  if (pets.length === 0) throw new SettingError(`${sourceName} has no pets`);
  if (args.isOn("dry-run")) {
    output.add(`${sourceName}: ${formatPetCount(pets.length)} can be added`);
    return 0;
  }
  const { isNew } = await shared.import(pets, signal);
  if (isNew) report(`${description} is new`);
  output.add(`${sourceName}: ${formatPetCount(pets.length)} added`);
  return 0;
}

function describeBad(lines: readonly BadLine[]): string[] {
  return shorten(lines.map(({ number, faults }) => `Line ${number}: ${faults.join("; ")}`));
}

function describeIgnored(names: readonly string[]): string {
  const shown = shorten(names.map((name) => JSON.stringify(name)));
  return `Members that a pet does not have are ignored: ${shown.join(", ")}`;
}

/** The first items of a list, and how many there are beside them. */
function shorten(items: readonly string[]): string[] {
  if (items.length <= MAX_SHOWN) return [...items];
  return [...items.slice(0, MAX_SHOWN), `and ${items.length - MAX_SHOWN} more`];
}
