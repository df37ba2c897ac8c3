import { DatabaseSync } from "node:sqlite";
import type { StoredKey } from "../key_store.ts";
import { readKeys } from "./keys.ts";

/** How the keys of a restored copy differ from those of the file that it replaces. */
export interface KeyDifference {
  /** The keys that are valid in the copy, and end earlier in the replaced file, or are not in it. */
  revived: StoredKey[];
  /** The keys that are valid in the replaced file, and are not in the copy. */
  lost: StoredKey[];
}

/**
 * Compares the keys of a restored copy with those of the present file, which it is going to replace.
 *
 * @param copy The path of the copy.
 * @param revokesNewer Whether the revived keys are also changed in the copy, so that each ends as in the present file. One that the present
 * file does not have is revoked now.
 */
export function reconcileKeys(copy: string, present: readonly StoredKey[], revokesNewer: boolean): KeyDifference {
  const db = new DatabaseSync(copy);
  try {
    const now = Date.now();
    const difference = compareKeys(readKeys(db), present, now);
    if (revokesNewer) endRevivedKeys(db, difference, present, now);
    return difference;
  } finally {
    db.close();
  }
}

function compareKeys(restored: readonly StoredKey[], present: readonly StoredKey[], now: number): KeyDifference {
  const revived = restored.filter((key) => endOf(key) > now && endOf(findKey(present, key.id)) < endOf(key));
  const lost = present.filter((key) => endOf(key) > now && !findKey(restored, key.id));
  return { revived, lost };
}

function endRevivedKeys(
  db: DatabaseSync,
  { revived }: KeyDifference,
  present: readonly StoredKey[],
  now: number,
): void {
  const update = db.prepare("UPDATE api_keys SET revoked_at = ?, expires_at = ? WHERE id = ?");
  for (const { id } of revived) {
    const { revoked, expires } = findKey(present, id) ?? { revoked: new Date(now), expires: undefined };
    update.run(revoked?.getTime() ?? null, expires?.getTime() ?? null, id);
  }
}

function findKey(keys: readonly StoredKey[], id: string): StoredKey | undefined {
  return keys.find((key) => key.id === id);
}

/** When a key ends by its expiry or its revocation, in milliseconds since 1970. A key that does not exist has always ended. */
function endOf(key: StoredKey | undefined): number {
  if (!key) return -Infinity;
  return Math.min(key.revoked?.getTime() ?? Infinity, key.expires?.getTime() ?? Infinity);
}
