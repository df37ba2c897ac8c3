/** API keys as a table and as JSON. */

import type { KeyInfo, StoredKey } from "../../stores/key_store.ts";
import { isValid } from "../first_key/first_key.ts";
import { oneLine } from "../process/lines.ts";

const COLUMNS: readonly [title: string, of: (key: KeyInfo) => string][] = [
  ["ID", ({ id }) => id],
  ["STATE", stateOf],
  ["RIGHTS", ({ readOnly }) => readOnly ? "read" : "read, write"],
  ["CREATED", ({ created }) => minuteOf(created)],
  ["EXPIRES", ({ expires }) => expires ? minuteOf(expires) : "never"],
  // The name of the key's user in the JSON log and the metrics.
  ["CALLER", ({ caller }) => caller],
  ["LABEL", ({ label }) => label],
];

function stateOf(key: KeyInfo): string {
  return key.revoked ? "revoked" : isValid(key) ? "valid" : "expired";
}

function minuteOf(time: Date): string {
  return time.toISOString().slice(0, 16).replace("T", " ");
}

export function describeKeys(keys: readonly KeyInfo[]): string {
  // Another program may have written a label with line ends, which would look like the row of another key.
  const rows = [COLUMNS.map(([title]) => title), ...keys.map((key) => COLUMNS.map(([, of]) => oneLine(of(key))))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd()).join("\n");
}

export function keysAsJson(keys: readonly StoredKey[]): string {
  return JSON.stringify(keys.map(({ digest: _, ...key }) => ({ ...key, state: stateOf(key) })), null, 2);
}
