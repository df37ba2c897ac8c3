/** The API keys that a restore makes valid again, because they were revoked or got an earlier expiry after the backup. */

import { DatabaseSync } from "node:sqlite";
import type { StoredKey } from "../key_store.ts";
import { unavailableFrom } from "./errors.ts";
import { readKeys } from "./keys.ts";

/**
 * Finds the keys that are valid in the copy of a backup and end earlier in the present file, or are not in it.
 *
 * @param copy The path of the copy, which is going to replace the present file.
 * @param present The keys of the present file.
 * @param ends Whether the keys are also changed in the copy, so that each ends as in the present file. One that the present file does not have
 * is revoked now.
 */
export function findRevivedKeys(copy: string, present: readonly StoredKey[], ends: boolean): StoredKey[] {
  const now = new Date();
  const presentById = new Map(present.map((key) => [key.id, key]));
  const db = new DatabaseSync(copy);
  try {
    const revived = readKeys(db).filter((key) => endOf(key) > +now && endOf(presentById.get(key.id)) < endOf(key));
    if (!ends) return revived;
    const update = db.prepare("UPDATE api_keys SET revoked_at = ?, expires_at = ? WHERE id = ?");
    db.exec("BEGIN");
    for (const { id } of revived) {
      const { revoked, expires } = presentById.get(id) ?? { revoked: now, expires: undefined };
      update.run(revoked?.getTime() ?? null, expires?.getTime() ?? null, id);
    }
    db.exec("COMMIT");
    return revived;
  } catch (error) {
    throw unavailableFrom(error, "The copy");
  } finally {
    db.close();
  }
}

/** When a key ends by its expiry or its revocation, in milliseconds since 1970. A key that does not exist has always ended. */
function endOf(key: StoredKey | undefined): number {
  if (!key) return -Infinity;
  return Math.min(key.revoked?.getTime() ?? Infinity, key.expires?.getTime() ?? Infinity);
}
