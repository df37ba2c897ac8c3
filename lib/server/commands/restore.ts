import { chmodSync, chownSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { StoredKey } from "../../stores/key_store.ts";
import { backupUntilAborted } from "../../stores/sqlite/backup_thread.ts";
import { followLinks } from "../../stores/sqlite/file_names.ts";
import { PresentFile, removeCopy } from "../../stores/sqlite/restore.ts";
import { type KeyDifference, reconcileKeys } from "../../stores/sqlite/restored_keys.ts";
import { RESTORE_MARK } from "../../stores/sqlite/remains.ts";
import { syncFolder } from "../process/folders.ts";
import { publishFile } from "../process/publish_file.ts";
import { commandLine } from "../process/invocation.ts";
import { SettingError } from "../process/start_error.ts";
import { prepareFolder } from "../store_setting/new_file.ts";
import { formatPetCount } from "../process/lines.ts";
import { type Command, FILE_STORE, readStorePath } from "./command.ts";

export const RESTORE: Command = {
  summary: "replace an SQLite file with a backup",
  settings: [],
  flags: {
    ...FILE_STORE,
    "revoke-newer": {
      help: "revoke the keys that were revoked since the backup, and apply expiries that were set since then",
    },
  },
  operand: "backup",
  needsOperand: true,
  about:
    "Stop the servers first. The command checks the backup, and keeps the replaced file beside the new one, under a name " +
    "with the time. Keys that were revoked after the backup are valid again, and keys that were made after it are missing; the " +
    "command lists both. For PostgreSQL, use pg_restore.",
  examples: [
    "petstore restore copy.db",
    "petstore restore copy.db --revoke-newer --store sqlite:/var/lib/petstore/data/petstore.db",
  ],
  isDoneWithoutOutput: true,
  failure: "The restore failed",
  async run(args, context) {
    const { operand } = args;
    const path = await readStorePath(args, context);
    const revokesNewer = args.isOn("revoke-newer");
    const result = await restore(operand, path, revokesNewer);
    context.writers.output.add(describeResult(result, operand, revokesNewer));
    return 0;
  },
};

/** What a restore has done. */
interface Result {
  /** The store that was restored. */
  file: string;
  /** How many pets the file has now. */
  pets: bigint;
  /** The name of the copy of the replaced file; undefined if there was none. */
  kept: string | undefined;
  /** Undefined if the keys of the replaced file could not be read. */
  keys: KeyDifference | undefined;
}

/** @param revokesNewer Whether the keys that the restore makes valid again end as in the replaced file. */
async function restore(backup: string, file: string, revokesNewer: boolean): Promise<Result> {
  prepareFolder(file);
  const present = PresentFile.take(file);
  try {
    if (followLinks(backup) === present.path) throw new SettingError(`${backup} is the store itself`);
    if (revokesNewer && !present.keys) {
      const reason = present.exists ? `The keys of ${file} cannot be read` : `${file} does not exist`;
      throw new SettingError(`${reason}, so it is not known which keys were revoked since the backup`);
    }
    const result = await publishFile(present.path, async (name, _, signal) => {
      const { pets } = await backupUntilAborted(backup, name, signal);
      const keys = present.keys && reconcileKeys(name, present.keys, revokesNewer);
      copyOwner(present, name);
      const kept = await keepAndMark(present, backup, signal);
      // From here on, a signal no longer ends the restore: the replaced file may not be whole without the log that is removed now.
      present.removeLog();
      // The folder is synced also without such a log: SQLite removes one that it could write back, but does not sync the removal.
      syncFolder(dirname(present.path));
      return { file, pets, kept, keys };
    }, { replaces: present.stats !== undefined });
    removeMark(present);
    return result;
  } finally {
    present.close();
  }
}

/**
 * Copies the present file, and then marks it as about to be replaced, if it has a log that SQLite could not write back. After a failure
 * there is neither a copy nor a mark.
 *
 * @returns The name of the copy.
 */
async function keepAndMark(present: PresentFile, backup: string, signal: AbortSignal): Promise<string | undefined> {
  const kept = await keepCopy(present);
  try {
    signal.throwIfAborted();
    if (present.hasLog) await writeMark(present, backup);
    return kept;
  } catch (error) {
    if (kept !== undefined) removeCopy(kept);
    throw error;
  }
}

/** @returns The name of the copy, which is complete and on disk. It is undefined if there is no present file. */
async function keepCopy(present: PresentFile): Promise<string | undefined> {
  if (!present.exists) return undefined;
  const kept = `${present.path}.${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  await publishFile(kept, async (name, _, signal) => {
    await present.copy(name, kept, signal);
    copyOwner(present, name);
  });
  return kept;
}

/**
 * Writes the mark of an unfinished restore. While the mark is there, every start of a server fails, so that none uses the old file without
 * its log, or the new file with the log of the old one.
 */
async function writeMark(present: PresentFile, backup: string): Promise<void> {
  const line = `A restore of ${backup} began. If none is running, repeat it.\n`;
  await publishFile(present.path + RESTORE_MARK, (name) => writeFileSync(name, line), { replaces: true });
}

function removeMark({ path }: PresentFile): void {
  const mark = path + RESTORE_MARK;
  if (!existsSync(mark)) return;
  rmSync(mark);
  syncFolder(dirname(mark));
}

/**
 * Gives a new file the owner and the mode of the present one, because the restore may run as root, and the server as another user. If there
 * is no present file, the new one gets the owner of the folder if that is possible: a server makes the folder and the file as one user.
 */
function copyOwner({ path, stats }: PresentFile, name: string): void {
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

function describeResult({ file, pets, kept, keys }: Result, backup: string, revokesNewer: boolean): string {
  const nameOf = ({ id, label }: StoredKey) => `${id} (${label})`;
  const lines = [`${file}: ${formatPetCount(pets)} from ${backup}, checked`];
  lines.push(kept === undefined ? `${file} is new, since there was no file to replace` : `${kept}: the replaced file`);
  for (const key of keys?.revived ?? []) {
    const state = revokesNewer
      ? "ends as in the replaced file"
      : `is valid again or for longer; ${commandLine(`keys revoke ${key.id}`)} ends it`;
    lines.push(`${nameOf(key)} ${state}`);
  }
  for (const key of keys?.lost ?? []) lines.push(`${nameOf(key)} is missing, because it was made after the backup`);
  if (!keys) {
    lines.push(
      `Keys that were revoked after the backup may be valid again; ${commandLine("keys list")} shows the valid ones`,
    );
  }
  return lines.join("\n");
}
