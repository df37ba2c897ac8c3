/** The pages of a list. */

import { isInt64 } from "../json.ts";

/** The range and the default of the query parameter `limit`: pets on a page. */
export const LIMIT = { minimum: 1, maximum: 100, default: 20 };

/** Cursors are opaque to clients, so that their content, the last id of the page before, can change. */
const PREFIX = "after:";

/** The cursor of the page after `id`. It is safe in a URL. */
export function formatCursor(id: bigint): string {
  return btoa(PREFIX + id).replaceAll("=", "");
}

/** The id in a cursor; `undefined` unless {@link formatCursor} would produce exactly this text. */
export function parseCursor(cursor: string): bigint | undefined {
  const id = decodeId(cursor);
  return id !== undefined && id > 0n && isInt64(id) && formatCursor(id) === cursor ? id : undefined;
}

function decodeId(cursor: string): bigint | undefined {
  // An id has at most 19 digits. Base64 of this ASCII text never contains '+' or '/'.
  if (cursor.length > 34 || !cursor.startsWith(btoa(PREFIX))) return undefined;
  try {
    return BigInt(atob(cursor).slice(PREFIX.length));
  } catch {
    return undefined;
  }
}
