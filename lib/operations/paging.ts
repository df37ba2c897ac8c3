/** The pages of a list. */

import { parsePetId } from "../pet.ts";

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
  try {
    const id = parsePetId(atob(cursor).slice(PREFIX.length));
    return id !== undefined && formatCursor(id) === cursor ? id : undefined;
  } catch {
    return undefined;
  }
}
