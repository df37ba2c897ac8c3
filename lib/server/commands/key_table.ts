/** API keys as a table and as JSON. */

import type { KeyInfo, StoredKey } from "../../stores/key_store.ts";
import { isValid } from "../first_key/first_key.ts";
import { oneLine } from "../process/lines.ts";

/** The table, with spaces between its columns. */
export function describeKeys(keys: readonly KeyInfo[]): string {
  const rows = [TITLES, ...keys.map(cellsOf)];
  const widths = TITLES.map((_, column) => rows.reduce((width, row) => Math.max(width, row[column]!.length), 0));
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ");
  return rows.map((row) => lineOf(row).trimEnd()).join("\n");
}

/** The titles of the columns. The JSON log and the metrics name the user of a key as CALLER does. */
const TITLES: readonly string[] = ["ID", "STATE", "RIGHTS", "CREATED", "EXPIRES", "CALLER", "LABEL"];

function cellsOf(key: KeyInfo): string[] {
  const rights = key.readOnly ? "read" : "read, write";
  const expires = key.expires ? minuteOf(key.expires) : "never";
  const cells = [key.id, stateOf(key), rights, minuteOf(key.created), expires, key.caller, key.label];
  // Line ends are escaped: a label with one, which another program may have written, would look
  // like the row of another key.
  return cells.map(oneLine);
}

function stateOf(key: KeyInfo): string {
  if (key.revoked) return "revoked";
  return isValid(key) ? "valid" : "expired";
}

/** A time in UTC without its seconds. Its year may have more than four digits. */
function minuteOf(time: Date): string {
  return time.toISOString().slice(0, -8).replace("T", " ");
}

/** The keys as a JSON array. Their digests are left out. */
export function keysAsJson(keys: readonly StoredKey[]): string {
  return JSON.stringify(keys.map(({ digest: _, ...key }) => ({ ...key, state: stateOf(key) })), null, 2);
}
