/** Prints whether a store commits on a thread of its own, and whether its pets are in order. */

import { rmSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "@petstore/petstore/sqlite";

/** How many creates it tries until it sees a transaction. */
const MOST = Number(process.argv[2] ?? 600);

function isLocked(other) {
  try {
    other.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch {
    return true;
  }
}

/** No await outside a function, so that the program can also be bundled as CommonJS. */
async function main() {
  const PATH = "writer.db";
  const store = createSqliteStore(PATH, { writerThread: "always" });
  const other = new DatabaseSync(PATH);
  // Each create takes some milliseconds, so that its transaction is seen.
  other.exec(`CREATE TRIGGER slow AFTER INSERT ON pets BEGIN
    SELECT count(*) FROM (WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT i FROM n);
  END`);

  const ids = [];
  let sawTransaction = false;
  for (let i = 0; i < MOST && !sawTransaction; i++) {
    let isPromise = true;
    const create = store.create({ name: "Rex", categoryId: 7n, status: "sold" }).finally(() => isPromise = false);
    while (isPromise) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      // A transaction on this thread would have begun and ended within one turn of the event loop.
      sawTransaction ||= isLocked(other);
    }
    ids.push(Number(await create));
  }
  await store.close();
  other.close();
  rmSync(PATH);
  console.log(
    JSON.stringify({ writer: sawTransaction ? "thread" : "same-thread", inOrder: ids.every((id, i) => id === i + 1) }),
  );
}

void main();
