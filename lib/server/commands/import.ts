import { rmSync, writeFile } from "node:fs";
import { promisify } from "node:util";
import { StoreUnavailableError } from "../../stores/store.ts";
import { openSource, readFormat, STANDARD } from "../transfer/files.ts";
import { type ImportOptions, importRecords } from "../transfer/import_records.ts";
import { publishFile } from "../process/folders.ts";
import { formatPetCount, oneLine } from "../process/lines.ts";
import { type CommandArguments, numberFrom } from "../settings/arguments.ts";
import { SettingError, UnreachableError } from "../process/start_error.ts";
import { type Command, type Context, readSharedStore, readStore } from "./command.ts";

/** The pets that were added and known, and the lines that are no pets, or may be parts of one. */
interface Counts {
  added: number;
  known: number;
  bad: number;
  incomplete: number;
}

/** How many bad lines are shown. */
const MAX_SHOWN = 20;

export const IMPORT: Command = {
  summary: "add the pets of a file to the store",
  flags: {
    format: { value: "ndjson|csv", help: "the format; by default, the end of the file's name tells it" },
    "dry-run": { help: "check all lines and add nothing" },
    rejects: { value: "file", help: "write the lines that are no pets to a new file, and go on" },
    copy: { value: "number", default: "1", help: "add the same file once more: 2 for the second time, and so on" },
    "last-line": { help: "take a last line without a line end as whole" },
  },
  operand: "file",
  needsOperand: true,
  about:
    "Servers may be using the store, which gives new ids. NDJSON has a JSON object on each line, as in the body of a POST. " +
    "CSV has a first line that names its columns. A pet needs name and categoryId; a missing status means available.\n\n" +
    "A file is added once: one that was imported adds nothing, one that was cut short adds the rest, and one that has grown " +
    "adds its new lines. At a line that is no pet, the import stops: correct it and import the file again.",
  examples: [
    "petstore import pets.ndjson --dry-run",
    "petstore import pets.csv --rejects bad.csv --store sqlite:/var/lib/petstore/data/petstore.db",
    "zcat pets.ndjson.gz | petstore import - --format ndjson",
  ],
  async run(args, context) {
    const rejects = args.text("rejects");
    const counts = rejects === "" ? await importFile(args, context) : await importWithRejects(rejects, args, context);
    const isDryRun = args.isOn("dry-run");
    const name = args.operand === STANDARD ? "standard input" : args.operand;
    context.writers.output.add(`${name}: ${describe(counts, isDryRun, rejects)}`);
    if (isDryRun && counts.bad > 0) return 2;
    return counts.incomplete > 0 ? 1 : 0;
  },
};

/** The file is made only if there are such lines. */
async function importWithRejects(file: string, args: CommandArguments, context: Context): Promise<Counts> {
  const write = promisify(writeFile);
  const counts = await publishFile(
    file,
    (_, descriptor) => importFile(args, context, (bytes) => write(descriptor, bytes)),
    // The import itself ends at the others, and says how far it came.
    { signals: ["SIGHUP"] },
  );
  if (counts.bad === 0) rmSync(file);
  return counts;
}

async function importFile(
  args: CommandArguments,
  context: Context,
  reject?: ImportOptions["reject"],
): Promise<Counts> {
  const isDryRun = args.isOn("dry-run");
  const options = {
    format: readFormat(args),
    copy: args.read("copy", numberFrom(1, 999_999)),
    skipsBad: isDryRun || reject !== undefined,
    takesLast: args.isOn("last-line"),
    reject,
  };
  const store = await readSharedStore(args, context);
  const { bytes, grows, close } = await openSource(args.operand, context.runtime.ending());
  const importer = isDryRun ? undefined : await store.openImporter();
  const counts: Counts = { added: 0, known: 0, bad: 0, incomplete: 0 };
  const report = (line: string) => context.writers.errors.add(`petstore: ${line}`);
  if (importer?.isNew) report(`${(await readStore(args, context)).description} is new`);
  try {
    for await (const part of importRecords(bytes, { ...options, grows, importer })) {
      counts.added += part.added;
      counts.known += part.known;
      for (const { line, faults } of part.bad) {
        if (counts.bad++ < MAX_SHOWN) report(`Line ${line}: ${oneLine(faults.join("; "))}`);
      }
      if (part.incomplete === undefined) continue;
      counts.incomplete++;
      const advice = "so it may be incomplete and was not added; if it is whole, add --last-line";
      report(`Line ${part.incomplete} has no end, ${advice}`);
    }
  } catch (error) {
    throw explainStop(error, counts, isDryRun);
  } finally {
    close();
    await importer?.close();
  }
  if (counts.bad > MAX_SHOWN) report(`and ${counts.bad - MAX_SHOWN} more lines`);
  return counts;
}

function explainStop(error: unknown, counts: Counts, isDryRun: boolean): unknown {
  const isTemporary = error instanceof StoreUnavailableError || error instanceof UnreachableError;
  if (isDryRun || !(isTemporary || error instanceof SettingError)) return error;
  const advice = isTemporary ? "import the file again for the rest" : "correct it and import the file again";
  const line = `${error.message}. ${describe(counts)}; ${advice}`;
  return isTemporary ? new UnreachableError(line) : new SettingError(line);
}

function describe({ added, known, bad }: Counts, isDryRun = false, rejects = ""): string {
  const lines = bad === 1 ? "1 line" : `${bad} lines`;
  return [
    `${formatPetCount(added)} ${isDryRun ? "can be added" : "added"}`,
    ...(known === 0 ? [] : [`${formatPetCount(known)} known from an earlier import`]),
    ...(bad === 0 ? [] : [`${lines} ${isDryRun ? "cannot" : "skipped"}${rejects === "" ? "" : `, now in ${rejects}`}`]),
  ].join(", ");
}
