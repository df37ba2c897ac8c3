import { chmodSync, chownSync, linkSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { StoredKey } from "../../stores/key_store.ts";
import { backupUntilAborted } from "../../stores/sqlite/backup_thread.ts";
import { COMPANION_ENDS, endsOf, followLinks } from "../../stores/sqlite/file_names.ts";
import { type PresentFile, takePresentFile } from "../../stores/sqlite/present_file.ts";
import { keptName } from "../../stores/sqlite/remains.ts";
import { findRevivedKeys } from "../../stores/sqlite/revived_keys.ts";
import { syncFolder } from "../process/folders.ts";
import { untilInterrupted } from "../process/process.ts";
import { makeFile, renameToNew } from "../process/publish_file.ts";
import { commandLine } from "../process/invocation.ts";
import { SettingError } from "../process/start_error.ts";
import { formatPetCount, oneLine } from "../process/lines.ts";
import { SETTINGS } from "../settings/server_settings.ts";
import { findSqliteFile, prepareFolder } from "../store_setting/find_store.ts";
import { declareCommand } from "./command.ts";

export const RESTORE = declareCommand({
  summary: "replace an SQLite file with a backup",
  options: {
    store: SETTINGS.store,
    "revoke-newer": {
      help: "revoke the keys that were revoked since the backup, and apply expiries that were set since then",
    },
  },
  operand: "backup",
  about:
    "Stop the servers first. The command checks the backup, and keeps the replaced file beside the new one, under a name " +
    "with the time. Keys that were made after the backup are missing. Keys that were revoked after it are valid again, and the " +
    "command lists them. The store must be sqlite:<path>; for PostgreSQL, use pg_restore.",
  examples: [
    "petstore restore copy.db",
    "petstore restore copy.db --revoke-newer --store sqlite:/var/lib/petstore/data/petstore.db",
  ],
  mayLoseOutput: true,
  failure: "The restore failed",
  async run({ store, "revoke-newer": revokesNewer = false }, { output, environment }, operand) {
    const path = await findSqliteFile(store, environment);
    // A signal must not end the process while the present file is looked at and open, because that would leave a second name of the file, or
    // a journal, beside it.
    const lines = await untilInterrupted((signal) => restore(operand, path, revokesNewer, signal));
    output.add(lines.map(oneLine).join("\n"));
  },
});

/**
 * Replaces the present file:
 *
 * 1. SQLite opens the present file, if it can. No server can open the file then until the restore has ended.
 * 2. The backup is copied beside the present file, checked, and written to disk. If that fails or a signal comes, nothing has changed.
 * 3. The present file gets another name, under which it is kept. The names of its log go, or change too.
 * 4. The copy takes the place of the present file.
 *
 * @param revokesNewer Whether the keys that the restore makes valid again end as in the replaced file.
 * @param interrupted Aborted by a signal to the process. One that comes after the steps have begun is noticed by `makeFile()`.
 * @returns What the restore has done, in lines for the operator.
 */
async function restore(
  backup: string,
  file: string,
  revokesNewer: boolean,
  interrupted: AbortSignal,
): Promise<string[]> {
  prepareFolder(file);
  const present = takePresentFile(file);
  const { path, stats, keys } = present;
  try {
    if (followLinks(backup) === path) throw new SettingError(`${backup} is the store itself`);
    if (revokesNewer && !keys) {
      throw new SettingError(`It is not known which keys were revoked, because those of ${file} cannot be read`);
    }
    const fill = async (copy: string, _descriptor: number, signal: AbortSignal) => {
      const { pets } = await backupUntilAborted(backup, copy, signal);
      const revived = keys && findRevivedKeys(copy, keys, revokesNewer);
      copyOwner(path, stats, copy);
      return { pets, revived };
    };
    const keptPath = keptName(path);
    interrupted.throwIfAborted();
    // The copy is filled under a temporary name. It is on disk before it replaces the present file.
    const { pets, revived } = await makeFile(path, fill, (copy) => replace(present, keptPath, copy));
    return [
      `${file}: ${formatPetCount(pets)} from ${backup}, checked`,
      ...endsOf(keptPath).map((end) => `${keptPath}${end}: the replaced file`),
      ...describeKeys(revived, revokesNewer),
    ];
  } finally {
    present.close();
  }
}

/**
 * Gives a new file the owner and the mode of the present one, because the restore may run as root, and the server as another user. If there
 * is no present file, the new one gets the owner of the folder if that is possible: a server makes the folder and the file as one user.
 */
function copyOwner(path: string, stats: Stats | undefined, name: string): void {
  if (stats) chmodSync(name, stats.mode & 0o777);
  const owner = stats ?? statSync(dirname(path));
  const { uid, gid } = statSync(name);
  if (uid === owner.uid && gid === owner.gid) return;
  try {
    chownSync(name, owner.uid, owner.gid);
  } catch {
    // The owner of the folder was only a guess.
    if (!stats) return;
    throw new SettingError(`${path} belongs to another user or group; restore as its owner, or as root`);
  }
}

/**
 * Does the steps 3 and 4.
 *
 * With two names, the present file is never absent: after a kill or a loss of power, it or the copy is there. A file without hard links, or
 * with a log that is not written back, has to be moved away, and then its log. If that is cut short, no server starts until the restore is
 * repeated: one refuses a log without its file, and a missing file with a kept one beside it.
 *
 * @param keptPath The name under which the present file is kept.
 */
function replace({ path, isOpen }: PresentFile, keptPath: string, copy: string): void {
  if (isOpen) {
    // SQLite has written the log of an open file back into it, so what is left of the log is empty.
    for (const end of COMPANION_ENDS) rmSync(path + end, { force: true });
    if (tryLink(path, keptPath)) {
      syncFolder(dirname(path));
      return renameSync(copy, path);
    }
  }
  for (const end of endsOf(path)) {
    renameSync(path + end, keptPath + end);
    syncFolder(dirname(path));
  }
  // If there was no file, a server may have made one meanwhile, which is not replaced.
  renameToNew(copy, path);
}

/** Gives a file a second name. Returns false on a file system without hard links. */
function tryLink(path: string, name: string): boolean {
  try {
    linkSync(path, name);
    return true;
  } catch {
    return false;
  }
}

/** @param revived Undefined if the keys of the replaced file could not be read. */
function describeKeys(revived: StoredKey[] | undefined, revokesNewer: boolean): string[] {
  if (!revived) {
    return [
      `Keys that were revoked after the backup may be valid again; ${commandLine("keys list")} shows the valid ones`,
    ];
  }
  return revived.map(({ id, label }) => {
    if (revokesNewer) return `${id} (${label}) ends as in the replaced file`;
    return `${id} (${label}) is valid again or for longer; ${commandLine(`keys revoke ${id}`)} ends it`;
  });
}
