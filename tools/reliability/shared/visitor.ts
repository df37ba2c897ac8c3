/**
 * Another program that opens an SQLite file beside a server and closes it. If the server had lost its locks, an older
 * SQLite would take itself for the last user and delete the log. The system's `sqlite3` is usually such a release.
 */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Random } from "../../../tests/support/random.ts";
import { Child } from "../../../tests/support/system/child.ts";
import { hasCommand } from "../../../tests/support/system/commands.ts";

/** The statements of a visitor. The last makes a copy. */
const VISITS = [
  ...["SELECT 1", "SELECT count(*) > 0 FROM pets", "BEGIN IMMEDIATE; ROLLBACK", "PRAGMA wal_checkpoint(TRUNCATE)"],
  ...["PRAGMA quick_check", "VACUUM INTO "],
];

/** Output without faults: a yes, an ok, or a checkpoint that wrote nothing or was not allowed. */
const WELL = /^(|1|ok|[01]\|-?\d+\|-?\d+)$/;

/** Visits a file in another process and returns what is wrong with it or with its copy, a line each. */
export async function visitDatabase(path: string, random: Random): Promise<string[]> {
  if (!HAS_SHELL) return [];
  const copy = `${path}.copy-${random.below(2 ** 31)}`;
  const visit = random.pick(VISITS);
  const sql = visit.endsWith("INTO ") ? `${visit}'${copy}'` : visit;
  // Not in this process: its own open file would count as another user.
  await using child = new Child("sqlite3", ["-cmd", ".timeout 5000", path, sql]);
  await child.ended;
  const lines = [child.written.stdout, child.written.stderr].flatMap((text) => text.split("\n"));
  const wrong = lines.filter((line) => !WELL.test(line)).map((line) => `${visit}: ${line}`);
  return sql === visit ? wrong : [...wrong, ...checkDatabase(copy)];
}

const HAS_SHELL = hasCommand("sqlite3");

/**
 * SQLite's check of a database that is not open. It checks a copy without the shared-memory file: the first to open a
 * database after a crash recovers it, and that must be the server.
 */
export function checkDatabase(path: string): string[] {
  if (!existsSync(path)) return [];
  const folder = mkdtempSync(`${path}-copy-`);
  try {
    const copy = join(folder, "copy.db");
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    using db = new DatabaseSync(copy, { readOnly: true });
    const lines = db.prepare("PRAGMA integrity_check").all().map((row) => String(row["integrity_check"]));
    return lines.length === 1 && lines[0] === "ok" ? [] : lines;
  } catch (error) {
    return [`The database cannot be read: ${error instanceof Error ? error.message : error}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
