import { statSync, writeFile } from "node:fs";
import { promisify } from "node:util";
import { CSV_HEADER, type ExportFormat } from "../../stores/pet_exporter.ts";
import { isBrokenPipe, writeAll } from "../process/writers.ts";
import { readFormat, STANDARD } from "../transfer/files.ts";
import { publishFile } from "../process/folders.ts";
import { formatPetCount } from "../process/lines.ts";
import type { SharedStore } from "../store/store_setting.ts";
import { type Command, readSharedStore } from "./command.ts";

export const EXPORT: Command = {
  summary: "write all pets of the store to a file or to standard output",
  flags: {
    format: {
      value: "ndjson|csv",
      help: "the format; by default, the end of the file's name tells it, or ndjson if it has none",
    },
  },
  operand: "file",
  about:
    "The export shows one moment; servers may use the store meanwhile. Pets are in the order of their ids: in NDJSON one on " +
    "each line, as the API shows it; in CSV in the columns id, name, categoryId and status. A file that exists is not replaced.",
  examples: [
    "petstore export pets.csv",
    "petstore export --format ndjson | gzip > pets.ndjson.gz",
    'petstore export | grep \'"status":"sold"\'',
  ],
  failure: "The export failed",
  async run(args, context) {
    const name = args.operand === STANDARD ? "" : args.operand;
    const format = readFormat(args, "ndjson");
    const store = await readSharedStore(args, context);
    try {
      if (name === "") {
        await exportPets(store, format, (bytes) => writeAll(context.runtime.sinks.output, bytes));
      } else {
        // Not writeSync(), because a signal could not end the export then.
        const write = promisify(writeFile);
        const pets = await publishFile(name, (_, file) => exportPets(store, format, (bytes) => write(file, bytes)));
        context.writers.output.add(`${name}: ${formatPetCount(pets)}, ${statSync(name).size} bytes`);
      }
      return 0;
    } catch (error) {
      // A reader that closes the pipe, such as head, ends the export without a message.
      if (name === "" && isBrokenPipe(error)) return 1;
      throw error;
    }
  },
};

type Write = (bytes: Uint8Array) => Promise<void>;

/** @returns How many pets there are. */
async function exportPets(store: SharedStore, format: ExportFormat, write: Write): Promise<number> {
  const encoder = new TextEncoder();
  let total = 0;
  let head = format === "csv" ? `${CSV_HEADER}\n` : "";
  await store.export(format, async (text, pets) => {
    await write(encoder.encode(`${head}${text}\n`));
    head = "";
    total += pets;
  });
  if (head !== "") await write(encoder.encode(head));
  return total;
}
