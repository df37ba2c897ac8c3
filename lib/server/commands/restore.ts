import { chmodSync, chownSync, existsSync, linkSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { StoredKey } from "../../stores/key_store.ts";
import { backupUntilAborted } from "../../stores/sqlite/backup_thread.ts";
import { COMPANION_ENDS, followLinks } from "../../stores/sqlite/file_names.ts";
import { keptName } from "../../stores/sqlite/remains.ts";
import { findRevivedKeys, type PresentFile, takePresentFile } from "../../stores/sqlite/restore.ts";
import { syncFolder } from "../process/folders.ts";
import { publishFile, requireNew } from "../process/publish_file.ts";
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
    "with the time. Keys that were made after the backup are missing. Keys that were revoked after it are valid again, and the " +
    "command lists them. For PostgreSQL, use pg_restore.",
  examples: [
    "petstore restore copy.db",
    "petstore restore copy.db --revoke-newer --store sqlite:/var/lib/petstore/data/petstore.db",
  ],
  isDoneWithoutOutput: true,
  failure: "The restore failed",
  async run(args, context) {
    const path = await readStorePath(args, context);
    const lines = await restore(args.operand, path, args.isOn("revoke-newer"));
    context.writers.output.add(lines.join("\n"));
    return 0;
  },
};

/**
 * @param revokesNewer Whether the keys that the restore makes valid again end as in the replaced file.
 * @returns What the restore has done, in lines for the operator.
 */
async function restore(backup: string, file: string, revokesNewer: boolean): Promise<string[]> {
  prepareFolder(file);
  const present = takePresentFile(file);
  try {
    if (followLinks(backup) === present.path) throw new SettingError(`${backup} is the store itself`);
    const stats = statSync(present.path, { throwIfNoEntry: false });
    if (revokesNewer && !present.keys) {
      const reason = stats ? `The keys of ${file} cannot be read` : `${file} does not exist`;
      throw new SettingError(`${reason}, so it is not known which keys were revoked since the backup`);
    }
    const fill = async (name: string, _: number, signal: AbortSignal): Promise<string[]> => {
      const { pets } = await backupUntilAborted(backup, name, signal);
      const revived = present.keys && findRevivedKeys(name, present.keys, revokesNewer);
      copyOwner(present.path, stats, name);
      // From here on, a signal no longer ends the restore.
      signal.throwIfAborted();
      if (!stats) requireNew(present.path);
      const kept = keepPresentFile(present);
      return [
        `${file}: ${formatPetCount(pets)} from ${backup}, checked`,
        ...kept.map((name) => `${name}: the replaced file`),
        ...describeKeys(revived, revokesNewer),
      ];
    };
    return await publishFile(present.path, fill, { replaces: stats !== undefined });
  } finally {
    present.close();
  }
}

/**
 * Gives the present file another name, and its log too if SQLite could not write that back. Each step is on disk before the next one, so
 * that after a kill or a loss of power either the file is whole in its place, or no server starts: one refuses a log without its file, and a
 * missing file with such a name beside it.
 *
 * @returns The names under which the files are kept.
 */
function keepPresentFile({ path, isOpen }: PresentFile): string[] {
  const kept = keptName(path);
  // What is left of the log of an open file is empty.
  if (isOpen) { for (const end of COMPANION_ENDS) rmSync(path + end, { force: true }); }
  const ends = ["", ...COMPANION_ENDS].filter((end) => existsSync(path + end));
  // An open file keeps its own name too, until the new one takes that.
  const giveName = isOpen ? linkOrRename : renameSync;
  for (const end of ends) {
    giveName(path + end, kept + end);
    syncFolder(dirname(path));
  }
  return ends.map((end) => kept + end);
}

/** Gives a file a second name, or another one on a file system without hard links. */
function linkOrRename(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch {
    renameSync(path, name);
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
