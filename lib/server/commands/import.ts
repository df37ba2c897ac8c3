import { readSource, STANDARD } from "../transfer/files.ts";
import { type PetLines, readPetLines } from "../transfer/pet_lines.ts";
import { formatPetCount, oneLine } from "../process/lines.ts";
import { SettingError, UnreachableError } from "../process/start_error.ts";
import { type Command, readSharedStore, readStore } from "./command.ts";

/** How many bad lines, and names that are ignored, are shown. */
const MAX_SHOWN = 20;

export const IMPORT: Command = {
  summary: "add the pets of a file to the store: all, or none",
  flags: { "dry-run": { help: "check all lines and add nothing" } },
  operand: "file",
  needsOperand: true,
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
  async run(args, context) {
    const name = args.operand === STANDARD ? "standard input" : args.operand;
    const report = (line: string) => context.writers.errors.add(`petstore: ${line}`);
    const store = await readSharedStore(args, context);
    const stop = new AbortController();
    context.runtime.ending().then(() =>
      stop.abort(new UnreachableError("The import was stopped, and nothing was added"))
    );
    const lines = await readPetLines(readSource(args.operand, stop.signal));
    describeIgnored(lines).forEach(report);
    const { pets } = lines;
    if (lines.bad.length > 0) {
      describeBad(lines).forEach(report);
      throw new SettingError(`${name} has ${countLines(lines.bad.length)} that cannot be added, so nothing was added`);
    }
    if (pets.length === 0) throw new SettingError(`${name} has no pets`);
    if (args.isOn("dry-run")) {
      context.writers.output.add(`${name}: ${formatPetCount(pets.length)} can be added`);
      return 0;
    }
    const { isNew } = await store.import(pets, stop.signal);
    if (isNew) report(`${(await readStore(args, context)).description} is new`);
    context.writers.output.add(`${name}: ${formatPetCount(pets.length)} added`);
    return 0;
  },
};

function describeBad({ bad }: PetLines): string[] {
  const shown = bad.slice(0, MAX_SHOWN).map(({ line, faults }) => `Line ${line}: ${oneLine(faults.join("; "))}`);
  return bad.length > MAX_SHOWN ? [...shown, `and ${countLines(bad.length - MAX_SHOWN)} more`] : shown;
}

function describeIgnored({ ignored }: PetLines): string[] {
  if (ignored.size === 0) return [];
  const names = [...ignored].slice(0, MAX_SHOWN).map((name) => JSON.stringify(name));
  const more = ignored.size > MAX_SHOWN ? ` and ${ignored.size - MAX_SHOWN} more` : "";
  return [oneLine(`Members that a pet does not have are ignored: ${names.join(", ")}${more}`)];
}

function countLines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}
