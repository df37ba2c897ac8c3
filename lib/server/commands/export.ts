import { statSync, writeFile } from "node:fs";
import { promisify } from "node:util";
import { exportDatabase } from "../../stores/sqlite/exporter.ts";
import { CSV_HEADER, type ExportFormat, type PetSink } from "../../stores/pet_exporter.ts";
import { isBrokenPipe, writeAll } from "../process/line_writer.ts";
import { readFormat, STANDARD } from "../transfer/files.ts";
import { publishFile } from "../process/folders.ts";
import { explain, SettingError } from "../process/start_error.ts";
import { loadPostgres, parseStoreLocation, type StoreLocation } from "../store/open_store.ts";
import { type Command, formatPetCount } from "./command.ts";

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
  async run(args, { writers, runtime }) {
    const name = args.operand === STANDARD ? "" : args.operand;
    const format = readFormat(args, "ndjson");
    const store = parseStoreLocation(args.text("store"), runtime.environment);
    const exportTo = (write: Write) => exportPets(store, format, runtime.postgresDriver, write);
    try {
      if (name === "") {
        await exportTo((bytes) => writeAll(runtime.sinks.output, bytes));
      } else {
        // Not writeSync(), because a signal could not end the export then.
        const pets = await publishFile(name, (_, file) => exportTo((bytes) => promisify(writeFile)(file, bytes)));
        writers.output.add(`${name}: ${formatPetCount(pets)}, ${statSync(name).size} bytes`);
      }
      return 0;
    } catch (error) {
      // A reader that closes the pipe, such as head, ends the export without a message.
      if (name === "" && isBrokenPipe(error)) return 1;
      throw explain("The export failed", error);
    }
  },
};

type Write = (bytes: Uint8Array) => Promise<void>;

/** @returns How many pets there are. */
async function exportPets(
  store: StoreLocation,
  format: ExportFormat,
  postgresDriver: string,
  write: Write,
): Promise<number> {
  if (store.kind === "memory") {
    throw new SettingError("A store in memory belongs to one server; name a file or a database, or read its list");
  }
  const encoder = new TextEncoder();
  let total = 0;
  let head = format === "csv" ? `${CSV_HEADER}\n` : "";
  const sink: PetSink = async (text, pets) => {
    await write(encoder.encode(`${head}${text}\n`));
    head = "";
    total += pets;
  };
  if (store.kind === "sqlite") await exportDatabase(store.path, format, sink);
  else await (await loadPostgres()).exportFromPostgres(store.target, postgresDriver, format, sink);
  if (head !== "") await write(encoder.encode(head));
  return total;
}
