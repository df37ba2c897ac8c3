import { backupDatabase } from "../../stores/sqlite/backup.ts";
import { requireOwnName } from "../../stores/sqlite/file.ts";
import { SettingError } from "../process/start_error.ts";
import { parseStoreLocation } from "../store/open_store.ts";
import { publishFile } from "../process/folders.ts";
import { type Command, formatPetCount } from "./command.ts";

export const BACKUP: Command = {
  summary: "copy an SQLite file that servers are using",
  operand: "file",
  needsOperand: true,
  about:
    "The copy shows one moment, and gets its name when it is complete, checked and on disk. A file that exists is not " +
    "replaced. For PostgreSQL, use pg_dump.",
  examples: [
    "petstore backup copy.db",
    'petstore backup "pets-$(date +%F).db" --store sqlite:/var/lib/petstore/data/petstore.db',
  ],
  failure: "The backup failed",
  async run(args, { writers, runtime }) {
    const { operand } = args;
    const store = parseStoreLocation(args.text("store"), runtime.environment);
    if (store.kind !== "sqlite") {
      throw new SettingError("Only an SQLite file can be backed up; for PostgreSQL use pg_dump");
    }
    requireOwnName(operand);
    const { pets, bytes } = await publishFile(operand, (name) => backupDatabase(store.path, name));
    writers.output.add(`${operand}: ${formatPetCount(pets)}, ${bytes} bytes, checked`);
    return 0;
  },
};
