/** Programs that open a file of an older schema at the same time. Deno only. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { expectedSchemaText } from "../../../lib/stores/sqlite/schema.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { Child } from "../../support/system/child.ts";
import { withTempFolder } from "../../support/temp.ts";

const PROGRAM = `
  const { DatabaseSync } = await import("node:sqlite");
  const { migrate } = await import(process.argv.at(-2));
  const [path, migrations] = JSON.parse(process.argv.at(-1));
  const db = new DatabaseSync(path);
  // A store sets it too: the first program that opens the log keeps others out for a moment.
  db.exec("PRAGMA busy_timeout = 5000");
  migrate(db, path, migrations);
  db.close();`;

test("programs that start at the same time migrate a file once", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    const store = createSqliteStore(path);
    await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
    await store.close();
    const first = [...expectedSchemaText().values()].join(";\n");
    const counted = "CREATE TABLE IF NOT EXISTS runs (n INTEGER); INSERT INTO runs VALUES (1)";
    const module = new URL("../../../lib/stores/sqlite/schema.ts", import.meta.url).href;
    const args = ["eval", "--no-config", `import process from "node:process"; ${PROGRAM}`, "--", module];
    const programs = Array.from({ length: 4 }, () => {
      return new Child(Deno.execPath(), [...args, JSON.stringify([path, [first, counted]])]).run();
    });
    for (const { status, stderr } of await Promise.all(programs)) assert.equal(status, 0, stderr);
    const db = new DatabaseSync(path);
    assert.deepEqual([
      db.prepare("SELECT count(*) AS n FROM runs").get()?.["n"],
      db.prepare("PRAGMA user_version").get()?.["user_version"],
    ], [1, 2]);
    db.close();
  }));
