import { backupDatabase } from "../../stores/sqlite/backup.ts";
import { requireOwnName } from "../../stores/sqlite/file.ts";
import { explain, SettingError } from "../process/start_error.ts";
import { parseStoreLocation } from "../store/open_store.ts";
import { publishFile } from "../process/folders.ts";
import { showProgress } from "./progress.ts";
import { type Command, formatPetCount } from "./command.ts";

export const BACKUP: Command = {
  summary: "copy an SQLite file that servers are using",
  flags: { json: { help: "print JSON: file, pets, bytes" } },
  operand: "file",
  about: [
    "Copies an SQLite file that servers may be using. The copy shows one moment: it has every pet that was acknowledged before " +
    "the start of the backup. Servers go on meanwhile.",
    "The copy gets its name when it is complete, checked and on disk. A file that exists is not replaced. For PostgreSQL, use " +
    "pg_dump.",
  ],
  examples: [
    "petstore backup copy.db",
    'petstore backup "pets-$(date +%F).db" --store sqlite:/var/lib/petstore/data/petstore.db',
  ],
  async run(args, { writers, host }) {
    const { operand } = args;
    if (operand === "") throw new SettingError("The name of the copy is missing, as in petstore backup copy.db");
    const store = parseStoreLocation(args.text("store"), host.environment);
    if (store.kind !== "sqlite") {
      throw new SettingError("Only an SQLite file can be backed up; for PostgreSQL use pg_dump");
    }
    const progress = showProgress("backup", (line) => writers.errors.add(line));
    try {
      requireOwnName(operand);
      const { pets, bytes } = await publishFile(
        operand,
        (name) => backupDatabase(store.path, name, (share) => progress.update(undefined, share)),
      );
      writers.output.add(
        args.isOn("json")
          ? JSON.stringify({ file: operand, pets: Number(pets), bytes })
          : `${operand}: ${formatPetCount(pets)}, ${bytes} bytes, checked`,
      );
      return 0;
    } catch (error) {
      throw explain("The backup failed", error);
    } finally {
      progress.end();
    }
  },
};
