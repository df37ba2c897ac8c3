/** API keys as a table and as JSON. */

import type { KeyInfo, StoredKey } from "../../stores/key_store.ts";
import { isValid } from "../first_key/first_key.ts";
import { oneLine } from "../process/lines.ts";

/** Each column: its title, and the function that gives the cell of a key. */
const COLUMNS: readonly [title: string, cellOf: (key: KeyInfo) => string][] = [
  ["ID", ({ id }) => id],
  ["STATE", stateOf],
  ["RIGHTS", ({ readOnly }) => readOnly ? "read" : "read, write"],
  ["CREATED", ({ created }) => minuteOf(created)],
  ["EXPIRES", ({ expires }) => expires ? minuteOf(expires) : "never"],
  // The JSON log and the metrics name the user of a key by this.
  ["CALLER", ({ caller }) => caller],
  ["LABEL", ({ label }) => label],
];

function stateOf(key: KeyInfo): string {
  if (key.revoked) return "revoked";
  return isValid(key) ? "valid" : "expired";
}

function minuteOf(time: Date): string {
  return time.toISOString().slice(0, 16).replace("T", " ");
}

/** The table, with spaces between its columns. */
export function describeKeys(keys: readonly KeyInfo[]): string {
  const titles = COLUMNS.map(([title]) => title);
  // Line ends are escaped: a label with one, which another program may have written, would look like the row of another key.
  const rowOf = (key: KeyInfo) => COLUMNS.map(([, cellOf]) => oneLine(cellOf(key)));
  const rows = [titles, ...keys.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd()).join("\n");
}

/** The keys as a JSON array. Their digests are left out. */
export function keysAsJson(keys: readonly StoredKey[]): string {
  return JSON.stringify(keys.map(({ digest: _, ...key }) => ({ ...key, state: stateOf(key) })), null, 2);
}
