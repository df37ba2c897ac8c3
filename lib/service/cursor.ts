/** Cursors: opaque to clients, so that what they mean can change; inside, "after this id". */

import { isInt64 } from "../json.ts";

const PREFIX = "after:";

/** The URL-safe cursor that marks the place after `id`. */
export function formatCursor(id: bigint): string {
  return btoa(PREFIX + id).replaceAll("=", "");
}

/** The id after which a cursor's page begins, or `undefined` if {@link formatCursor} does not make this text. */
export function parseCursor(cursor: string): bigint | undefined {
  const id = decodeId(cursor);
  return id !== undefined && id > 0n && isInt64(id) && formatCursor(id) === cursor ? id : undefined;
}

function decodeId(cursor: string): bigint | undefined {
  // No id is longer than 19 digits. Digits and letters make up every cursor: base64 of ASCII has no use for '+' and '/'.
  if (cursor.length > 34 || !cursor.startsWith(btoa(PREFIX))) return undefined;
  try {
    return BigInt(atob(cursor).slice(PREFIX.length));
  } catch {
    return undefined;
  }
}
