/**
 * Another program that opens an SQLite file while a server uses it, does something and closes it. If the server's locks are
 * gone, it takes itself for the last one and deletes the log. SQLite does that no more, but older releases do, and what a
 * system brings as its shell `sqlite3` is mostly older than a runtime's: so the shell is the visitor where there is one.
 */

import { checkDatabase } from "./installation.ts";
import type { Random } from "../../support/random.ts";
import { Child } from "../../support/system/child.ts";
import { hasCommand } from "../../support/system/commands.ts";

/** The statements of a visitor. The last makes a copy. */
const VISITS = [
  ...["SELECT 1", "SELECT count(*) > 0 FROM pets", "BEGIN IMMEDIATE; ROLLBACK", "PRAGMA wal_checkpoint(TRUNCATE)"],
  ...["PRAGMA quick_check", "VACUUM INTO "],
];

/** Its output when all is well: a yes, an ok, or a checkpoint that wrote nothing or was not allowed. */
const WELL = /^(|1|ok|[01]\|-?\d+\|-?\d+)$/;

/** Visits a file in a process of its own, and tells what was wrong with it or with its copy, a line each. */
export async function visitDatabase(path: string, random: Random): Promise<string[]> {
  const copy = `${path}.copy-${random.below(2 ** 31)}`;
  const visit = random.pick(VISITS);
  const sql = visit.endsWith("INTO ") ? `${visit}'${copy}'` : visit;
  // Not this process: what it has open itself would count as one more that has not closed the file.
  await using child = HAS_SHELL
    ? new Child("sqlite3", ["-cmd", ".timeout 5000", path, sql])
    : new Child(Deno.execPath(), ["eval", "--no-config", PROGRAM, path, sql]);
  await child.ended;
  const lines = [child.written.stdout, child.written.stderr].flatMap((text) => text.split("\n"));
  const wrong = lines.filter((line) => !WELL.test(line)).map((line) => `${visit}: ${line}`);
  return sql === visit ? wrong : [...wrong, ...checkDatabase(copy)];
}

const PROGRAM = `import { DatabaseSync } from "node:sqlite";
  const db = new DatabaseSync(Deno.args[0], { timeout: 5000 });
  db.exec(Deno.args[1]);
  db.close();`;

const HAS_SHELL = hasCommand("sqlite3");
