import type { StoredKey } from "./key_store.ts";

export interface KeyRow extends Record<"id" | "digest" | "label" | "caller", string> {
  /** SQLite has no boolean. */
  read_only: number | boolean;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

export function keyOfRow({ id, digest, label, caller, ...row }: KeyRow): StoredKey {
  const dateOf = (time: number | null) => time === null ? undefined : new Date(time);
  return {
    ...{ id, digest, label, caller, readOnly: Boolean(row.read_only), created: new Date(row.created_at) },
    ...{ expires: dateOf(row.expires_at), revoked: dateOf(row.revoked_at), lastUsed: dateOf(row.last_used_at) },
  };
}
