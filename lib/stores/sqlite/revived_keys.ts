/**
 * The API keys that a restore makes valid again, because they were revoked or got an earlier expiry
 * after the backup.
 */

import { DatabaseSync } from "node:sqlite";
import type { StoredKey } from "../key_store.ts";
import { unavailableFrom } from "./errors.ts";
import { readKeys } from "./keys.ts";

/** A key of the backup, and how it ends in the present file. */
export interface RevivedKey extends Pick<StoredKey, "id" | "label" | "revoked" | "expires"> {}

/**
 * Finds the keys that are valid in the copy of a backup and end earlier in the present file. One
 * that is not in the present file counts as revoked now.
 *
 * @param copy The path of the copy, which is going to replace the present file.
 * @param present The keys of the present file.
 */
export function findRevivedKeys(copy: string, present: readonly StoredKey[]): RevivedKey[] {
  const now = new Date();
  const presentById = new Map(present.map((key) => [key.id, key]));
  const revived: RevivedKey[] = [];
  for (const key of useCopy(copy, readKeys)) {
    const { revoked, expires } = presentById.get(key.id) ?? { revoked: now, expires: undefined };
    const isValid = endOf(key) > now.getTime();
    const endsEarlier = endOf({ revoked, expires }) < endOf(key);
    if (isValid && endsEarlier) revived.push({ id: key.id, label: key.label, revoked, expires });
  }
  return revived;
}

/** Changes keys in the copy, so that each ends as in the present file. */
export function endRevivedKeys(copy: string, revived: readonly RevivedKey[]): void {
  useCopy(copy, (db) => {
    const update = db.prepare("UPDATE api_keys SET revoked_at = ?, expires_at = ? WHERE id = ?");
    db.exec("BEGIN");
    for (const { id, revoked, expires } of revived) {
      update.run(revoked?.getTime() ?? null, expires?.getTime() ?? null, id);
    }
    db.exec("COMMIT");
  });
}

/** When a key ends by its expiry or its revocation, in milliseconds since 1970. */
function endOf({ revoked, expires }: Pick<StoredKey, "revoked" | "expires">): number {
  return Math.min(revoked?.getTime() ?? Infinity, expires?.getTime() ?? Infinity);
}

function useCopy<T>(copy: string, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(copy);
  try {
    return use(db);
  } catch (error) {
    throw unavailableFrom(error, "The copy");
  } finally {
    db.close();
  }
}
