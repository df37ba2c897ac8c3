import { chmodSync, chownSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backupUntilAborted } from "../../stores/sqlite/backup.ts";
import { COMPANION_ENDS, endsOf, followLinks, keptName } from "../../stores/sqlite/file_names.ts";
import { type PresentFile, takePresentFile } from "../../stores/sqlite/present_file.ts";
import { findRevivedKeys, type RevivedKey } from "../../stores/sqlite/keys.ts";
import { commandLine, formatPetCount, oneLine } from "../process/messages.ts";
import { makeFile, renameToNew, syncFolder } from "../process/new_files.ts";
import { untilInterrupted } from "../process/runtime.ts";
import { SettingError, UnreachableError } from "../process/start_error.ts";
import { SWITCH } from "../settings/formats.ts";
import { SETTINGS } from "../settings/server_settings.ts";
import { findSqliteFile, prepareFolder } from "../settings/store_setting.ts";
import { declareCommand } from "./command.ts";

export const RESTORE = declareCommand({
  summary: "replace an SQLite file with a backup",
  options: {
    store: SETTINGS.store,
    "revoke-newer": {
      format: SWITCH,
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
    // A signal must not end the process while the present file is open, because that would leave a
    // second name of the file, or a journal, beside it.
    const lines = await untilInterrupted((signal) => restore(operand, path, revokesNewer, signal));
    output.add(lines.map(oneLine).join("\n"));
  },
});

/**
 * Replaces the present file:
 *
 * 1. SQLite opens the present file, if it can. No server can open the file then until the restore
 *    has ended.
 * 2. The backup is copied beside the present file, checked, and written to disk. If that fails or a
 *    signal comes, nothing has changed.
 * 3. The present file gets another name, under which it is kept. The names of its log go, or change
 *    too.
 * 4. The copy takes the place of the present file.
 *
 * @param revokesNewer Whether the keys that the restore makes valid again end as in the replaced
 * file.
 * @param interrupted Aborted by a signal to the process. One that comes after step 1 is noticed by
 * `makeFile()`.
 * @returns What the restore has done, in lines for the operator.
 */
async function restore(
  backup: string,
  file: string,
  revokesNewer: boolean,
  interrupted: AbortSignal,
): Promise<string[]> {
  prepareFolder(file);
  // Step 1.
  const present = takePresentFile(file);
  try {
    const { path, keys } = present;
    if (followLinks(backup) === path) throw new SettingError(`${backup} is the store itself`);
    if (revokesNewer && !keys) {
      throw new SettingError(`It is not known which keys were revoked, because those of ${file} cannot be read`);
    }
    const keptPath = keptName(path);
    interrupted.throwIfAborted();
    const { pets, revived } = await makeFile(
      path,
      // Step 2. The copy has a temporary name.
      (copy, _descriptor, signal) => fillCopy(backup, copy, present, revokesNewer, signal),
      // Steps 3 and 4.
      (copy) => replace(present, keptPath, copy),
    );
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
 * Copies the backup, and changes the copy where it must be like the present file.
 *
 * @returns The number of pets, and the keys that the restore makes valid again. These are undefined
 * if the keys of the present file could not be read.
 */
async function fillCopy(
  backup: string,
  copy: string,
  present: PresentFile,
  revokesNewer: boolean,
  signal: AbortSignal,
): Promise<{ pets: bigint; revived: RevivedKey[] | undefined }> {
  const { pets } = await backupUntilAborted(backup, copy, signal);
  const revived = present.keys && findRevivedKeys(copy, present.keys, revokesNewer);
  copyOwner(present, copy);
  return { pets, revived };
}

/**
 * Gives the copy the owner and the mode of the present file, because the restore may run as root,
 * and the server as another user. If there is no present file, the copy gets the owner of the
 * folder if that is possible: a server makes the folder and the file as one user.
 */
function copyOwner({ path, stats }: PresentFile, copy: string): void {
  if (stats) chmodSync(copy, stats.mode & 0o777);
  const owner = stats ?? statSync(dirname(path));
  const { uid, gid } = statSync(copy);
  if (uid === owner.uid && gid === owner.gid) return;
  try {
    chownSync(copy, owner.uid, owner.gid);
  } catch {
    // The owner of the folder was only a guess.
    if (!stats) return;
    throw new SettingError(`${path} belongs to another user or group; restore as its owner, or as root`);
  }
}

/**
 * Puts the copy in the place of the present file.
 *
 * @param keptPath The name under which the present file is kept.
 */
function replace({ path, stats, isOpen }: PresentFile, keptPath: string, copy: string): void {
  // No lock keeps another restore from a file that is missing or damaged, and then a server from
  // its new one, which has pets of which the operator does not know.
  if (statSync(path, { throwIfNoEntry: false })?.ino !== stats?.ino) {
    throw new UnreachableError(`${path} was replaced by another program meanwhile, and is left as it is`);
  }
  if (isOpen) {
    // SQLite has written the log of an open file back into it, so what is left of the log is empty.
    for (const end of COMPANION_ENDS) rmSync(path + end, { force: true });
    if (tryLink(path, keptPath)) {
      // The present file has two names now, and is never absent: after a kill or a loss of power,
      // it or the copy is in its place.
      syncFolder(dirname(path));
      renameSync(copy, path);
      return;
    }
  }
  moveAway(path, keptPath);
  // A server may have made a file meanwhile, which is not replaced.
  renameToNew(copy, path);
}

/**
 * Moves the present file away, and then its log. This is for a file system without hard links, and
 * for a log that is not written back. If it is cut short, no server starts until the restore is
 * repeated: a server refuses a log without its file, and a missing file with a kept one beside it.
 */
function moveAway(path: string, keptPath: string): void {
  for (const end of endsOf(path)) {
    renameSync(path + end, keptPath + end);
    syncFolder(dirname(path));
  }
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
function describeKeys(revived: readonly RevivedKey[] | undefined, revokesNewer: boolean): string[] {
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
