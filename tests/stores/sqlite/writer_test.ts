/** The thread that writes: what it does for reads, and what becomes of creates when it ends. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { createSqliteStore, type SqliteStoreOptions } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { openDatabase } from "../../../lib/stores/sqlite/open.ts";
import { WritingThread } from "../../../lib/stores/sqlite/writing_thread.ts";
import { SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import type { Answer } from "../../../lib/stores/sqlite/writing_thread_messages.ts";
import { formatPet, type StoreUnavailableError } from "../../../lib/stores/store.ts";
import { beginWrite } from "../../../lib/stores/sqlite/transaction.ts";
import { untilLocked } from "../../support/database.ts";
import { until } from "../../support/until.ts";
import { countCommits, createMany, execute, query, REX, test, walk, withPath } from "./support.ts";

/** Makes each new pet take long to insert, until it is switched off. */
const SLOW = `CREATE TRIGGER slow AFTER INSERT ON pets BEGIN
  SELECT count(*) FROM (WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT i FROM n);
END`;

/** A draft in the code of another isolate. */
const PET = `{ name: "Rex", categoryId: 7n, status: "sold" }`;

/** Runs `use` with a store that has a thread, and another connection to its file. */
function withThread(use: (store: SqliteStore, other: DatabaseSync, path: string) => Promise<void>): Promise<void> {
  return withPath(async (path) => {
    const store = SqliteStore.open(path, "always");
    const other = new DatabaseSync(path);
    try {
      await use(store, other, path);
    } finally {
      other.close();
      await store.close();
    }
  });
}

test("while the thread is in a transaction, reads are answered, and later creates gather and share the next one", () =>
  withThread(async (store, other, path) => {
    await store.create(REX);
    execute(path, SLOW);
    const slow = store.create(REX);
    // On the calling thread, nothing can run between the beginning and the end of a transaction.
    await untilLocked(other);
    const before = countCommits(path);
    const more = createMany(store, 3);
    assert.equal(await store.get(1n), formatPet({ id: 1n, ...REX }));
    assert.equal(await store.get(2n), undefined);
    assert.deepEqual(await Promise.all([slow, more]), [2n, [3n, 4n, 5n]]);
    assert.equal(await store.get(2n), formatPet({ id: 2n, ...REX }));
    assert.equal(countCommits(path), before + 2);
  }));

// The order of such events: order_test.ts.
test("when the thread ends, creates that it has not answered are unavailable, reads go on, and a new thread takes over", () =>
  withThread(async (store, other, path) => {
    assert.equal(await store.create(REX), 1n);
    execute(path, SLOW);
    // Deno lets the thread finish this transaction. What waits for the thread is lost on every runtime.
    const running = store.create(REX).catch((error) => error);
    await untilLocked(other);
    const ended = store.thread!.terminate();
    assert.equal(store.get(1n), formatPet({ id: 1n, ...REX }));
    const outcome = await running;
    assert.ok(outcome === 2n || /writes has ended/.test((outcome as StoreUnavailableError).message), String(outcome));
    await ended;
    other.exec("PRAGMA busy_timeout = 10000; DROP TRIGGER slow");
    const last = Number(query(path, "SELECT max(id) AS last FROM pets")[0]?.["last"]);
    // Until the store has heard of the end, a create is sent to the thread that has ended, and refused.
    await until("a create by a new thread", () => store.create(REX).then((id) => id === BigInt(last + 1), () => false));
    assert.deepEqual(await walk(store), Array.from({ length: last + 1 }, (_, i) => i + 1));
  }));

test.path("a thread does not start on a file that has been moved, and makes none in its place", async (path) => {
  const { db, files } = openDatabase(path);
  renameSync(path, `${path}.moved`);
  const thread = new WritingThread(files!);
  const port = thread.connect()!;
  const greeting = await new Promise<Answer>((resolve) => port.onmessage = ({ data }) => resolve(data));
  assert.match(greeting.kind === "failure" ? greeting.message : "", /has been deleted, moved or replaced/);
  assert.ok(!existsSync(path));
  port.close();
  await thread.close();
  db.close();
});

/** Creates a pet. On the calling thread, a commit ends in the turn of the event loop in which it begins. */
async function isCommittedHere(store: SqliteStore): Promise<boolean> {
  const created = store.create(REX);
  await new Promise((resolve) => setImmediate(resolve));
  const { unsettled } = store.batch;
  await created;
  return unsettled === 0;
}

test.path("a create that is alone is committed on the calling thread while the disk is fast, and else by the thread", async (path) => {
  await using store = SqliteStore.open(path, "auto");
  for (let time = 0; time < 2; time++) {
    await until("a commit on the calling thread", () => isCommittedHere(store));
    execute(path, SLOW.replace("1000000", "100000"));
    await store.create(REX);
    assert.equal(await isCommittedHere(store), false);
    execute(path, "DROP TRIGGER slow");
  }
});

test.path("a commit that was slow and failed sends the next create to the thread, as one that succeeded does", async (path) => {
  await using store = SqliteStore.open(path, "auto");
  await until("a commit on the calling thread", () => isCommittedHere(store));
  execute(path, SLOW.replace("1000000", "100000").replace(/END$/, "SELECT raise(ABORT, 'refused'); END"));
  await assert.rejects(store.create(REX), /refused/);
  execute(path, "DROP TRIGGER slow");
  assert.equal(await isCommittedHere(store), false);
});

test.path("a create that has to write a long log back is committed by the thread, also the first of a start", async (path) => {
  let store = SqliteStore.open(path, "auto");
  for (const start of ["of the same store", "of a new store"]) {
    await until("a commit on the calling thread", () => isCommittedHere(store));
    // While this connection reads, the log cannot be written back.
    const reader = new DatabaseSync(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT 1 FROM pets").get();
    execute(
      path,
      `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO pets (name, category_id, status) SELECT printf('%1000d', i), 1, 0 FROM n`,
    );
    if (start === "of a new store") {
      await store.close();
      store = SqliteStore.open(path, "auto");
    }
    reader.close();
    assert.equal(await isCommittedHere(store), false, `the first create ${start}`);
  }
  await store.close();
});

test.path("a write leaves the time for which SQLite waits for a lock as it was, also a write that gets no lock", (path) => {
  const { db } = openDatabase(path);
  const other = new DatabaseSync(path);
  const waits = (of = db) => of.prepare("PRAGMA busy_timeout").get()?.["timeout"];
  const before = waits();
  other.exec("BEGIN IMMEDIATE");
  const late = openDatabase(path).db;
  assert.equal(waits(late), before, "after a start that got no lock");
  late.close();
  assert.throws(() => beginWrite(db, 1), /locked/);
  assert.equal(waits(), before);
  other.exec("ROLLBACK");
  beginWrite(db, 1);
  assert.equal(waits(), before);
  db.close();
  other.close();
});

test("an unknown option of an SQLite store is a TypeError", () => {
  for (const options of [{ writerThread: "process" }, { writer: "thread" }]) {
    assert.throws(() => createSqliteStore(":memory:", options as SqliteStoreOptions), TypeError);
  }
});

test.path("a process that only holds an idle store ends, and one with a pending create ends after it", async (path) => {
  const module = new URL("../../../lib/stores/sqlite/create_sqlite_store.ts", import.meta.url);
  const script = `${path}.ts`;
  writeFileSync(
    script,
    `import { createSqliteStore } from "${module}";
      const store = createSqliteStore(${JSON.stringify(path)}, { writerThread: "always" });
      const create = () => store.create(${PET});
      await create();
      if (process.argv.includes("pending")) create().then((id) => console.log("stored", id));`,
  );
  const flags = process.versions["deno"] ? ["run", "--no-config", "--no-check", "--allow-all"] : [];
  for (const [how, printed] of [["idle", ""], ["pending", "stored 3n\n"]] as const) {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, how], { timeout: 60_000 });
    assert.equal(stdout, printed);
  }
});
