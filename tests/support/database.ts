/** SQLite files, by connections of their own. */

import { DatabaseSync } from "node:sqlite";
import { until } from "./until.ts";

/** Runs statements. */
export function execute(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

export function query(path: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all().map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

/** Adds pets to a file that has the tables. @param name In SQL. */
export function fill(path: string, count: number, name = "hex(zeroblob(125))"): void {
  execute(
    path,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO pets (name, category_id, status) SELECT ${name}, 7, 0 FROM n`,
  );
}

/** Waits until another connection is in a transaction that writes. */
export function untilLocked(db: DatabaseSync): Promise<void> {
  return until("another connection has the write lock", () => {
    try {
      db.exec("BEGIN IMMEDIATE; ROLLBACK");
      return false;
    } catch {
      return true;
    }
  });
}
