/** The storage of a Durable Object, made of node:sqlite. tests/heavy/edge has the real one, and D1. */

import { DatabaseSync } from "node:sqlite";
import type { DurableObjectBinding } from "../../lib/d1/d1_store.ts";

export function openStorage(): DurableObjectBinding {
  const db = new DatabaseSync(":memory:");
  return {
    sql: { exec: (sql, ...values) => ({ toArray: () => db.prepare(sql).all(...values) }) },
    transactionSync(run) {
      db.exec("BEGIN");
      try {
        const result = run();
        db.exec("COMMIT");
        return result;
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    },
  };
}
