import { backupUntilAborted } from "../../stores/sqlite/backup.ts";
import { requireOwnName } from "../../stores/sqlite/file_names.ts";
import { formatPetCount } from "../process/messages.ts";
import { publishFile, requireNew } from "../process/new_files.ts";
import { SettingError } from "../process/start_error.ts";
import { SETTINGS } from "../settings/server_settings.ts";
import { findSqliteFile } from "../settings/store_setting.ts";
import { declareCommand } from "./command.ts";

export const BACKUP = declareCommand({
  summary: "copy an SQLite file that servers are using",
  options: { store: SETTINGS.store },
  operand: "file",
  about:
    "The copy has the pets of one moment. It gets its name when it is complete, checked and on disk. The command does not " +
    "replace an existing file. The store must be sqlite:<path>; for PostgreSQL, use pg_dump.",
  examples: [
    "petstore backup copy.db",
    'petstore backup "pets-$(date +%F).db" --store sqlite:/var/lib/petstore/data/petstore.db',
  ],
  mayLoseOutput: true,
  failure: "The backup failed",
  async run({ store }, { output, environment }, operand) {
    const path = await findSqliteFile(store, environment);
    // Elsewhere `-` means standard output, but that has the report: a program that expects the copy
    // would keep the report in its place.
    if (operand === "-") {
      throw new SettingError("A backup is a file, and cannot be written to standard output; name it");
    }
    // An existing file is refused first. The name of an existing database would be refused for its
    // log, with the advice to remove that.
    requireNew(operand);
    requireOwnName(operand);
    const { pets, bytes } = await publishFile(operand, (name, _, signal) => backupUntilAborted(path, name, signal));
    output.add(`${operand}: ${formatPetCount(pets)}, ${bytes} bytes, checked`);
  },
});
