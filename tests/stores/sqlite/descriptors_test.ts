/** What this program reads of a database beside SQLite costs no lock, and stays open no longer than the database. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync } from "node:fs";
import { devNull } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { inspectDatabase } from "../../../lib/stores/sqlite/inspection.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { openFiles, REX, test, withPath } from "./support.ts";

/** Opens a file in another process and closes it there. Its last connection would delete a log that nobody else uses. */
function openElsewhere(path: string): void {
  const code = `const { DatabaseSync } = require("node:sqlite"); const db = new DatabaseSync(${JSON.stringify(path)});
    db.exec("SELECT 1 FROM sqlite_schema"); db.close();`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", code], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

test.path("a store keeps its locks while others of the process are opened, closed, refused and inspected", async (path) => {
  await using store = createSqliteStore(path);
  await store.create(REX);
  store.changes!();
  for (let round = 0; round < 2; round++) {
    const second = createSqliteStore(path);
    second.changes!();
    await second.close();
    assert.equal((await inspectDatabase(path)).pets, 1n);
  }
  openElsewhere(path);
  assert.ok(existsSync(`${path}-wal`), "the log in use was deleted, so the locks were lost");
  await store.create(REX);
  assert.notEqual(store.get(2n), undefined);
});

test.path("after the last store of a file has been closed, none of its files is open, also if a log was left by a kill", async (path) => {
  await withPath(async (source) => {
    await using running = createSqliteStore(source);
    await running.create(REX);
    for (const end of ["", "-wal"]) copyFileSync(source + end, path + end);
  });
  for (let round = 0; round < 3; round++) {
    const store = createSqliteStore(path), second = createSqliteStore(path);
    store.changes!();
    second.changes!();
    await store.close();
    assert.notEqual(second.get(1n), undefined);
    await second.close();
    assert.deepEqual(openFiles(path) ?? [], []);
  }
});

test.path("a store that has been closed keeps no descriptor back, whether its thread has started or not", async (path) => {
  const before = openFiles(devNull);
  for (const creates of [0, 1]) {
    const store = SqliteStore.open(path, "always");
    for (let i = 0; i < creates; i++) await store.create(REX);
    await store.close();
    assert.deepEqual(openFiles(devNull), before);
  }
});

const SCRIPT = fileURLToPath(new URL("without_descriptors.mjs", import.meta.url));

/** Opens 200 files at most. */
const LIMITED = ["-c", 'ulimit -n 200 && exec "$0" "$@"', process.execPath];

test.path("the thread of a store starts although clients have taken all descriptors, and another one fails without harm", (path) => {
  if (process.platform === "win32") return;
  const args = "Deno" in globalThis ? ["run", "-A", "--no-check", SCRIPT, path] : [SCRIPT, path];
  const { stdout, stderr } = spawnSync("sh", [...LIMITED, ...args], { encoding: "utf8" });
  assert.match(
    stdout,
    /^1,2\n\S+: the process has too few free file descriptors for a thread that writes\n8\n$/,
    stderr,
  );
});
