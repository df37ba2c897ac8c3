/** The thread that writes: what it does for reads, and what becomes of creates when it ends. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { LOG_LIMIT_BYTES } from "../../../lib/stores/sqlite/open.ts";
import { openSqliteStore, type SqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { startThread } from "../../../lib/stores/sqlite/thread.ts";
import { formatPet, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { untilLocked } from "../../support/database.ts";
import { until } from "../../support/until.ts";
import { whileReplaced } from "../../support/while_replaced.ts";
import { createMany, execute, query, REX, test, withPath } from "./support.ts";

/** Makes each new pet take long to insert, until it is switched off. */
const SLOW = `CREATE TRIGGER slow AFTER INSERT ON pets BEGIN
  SELECT count(*) FROM (WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT i FROM n);
END`;

/** Runs `use` with a store that has a thread, and another connection to its file. */
function withThread(
  use: (store: SqliteStore, other: DatabaseSync, path: string) => Promise<void>,
): Promise<void> {
  return withPath(async (path) => {
    await using store = openSqliteStore(path, "always");
    using other = new DatabaseSync(path);
    await use(store, other, path);
  });
}

test("while the thread is in a transaction, reads are answered, and later creates gather and share the next one", () =>
  withThread(async (store, other, path) => {
    await store.create(REX);
    execute(path, SLOW);
    const slow = store.create(REX);
    // On the calling thread, nothing can run between the beginning and the end of a transaction.
    await untilLocked(other);
    const commits: number[] = [];
    store.batch.onCommit = (creates) => commits.push(creates);
    const more = createMany(store, 3);
    assert.equal(await store.get(1n), formatPet({ id: 1n, ...REX }));
    assert.equal(await store.get(2n), undefined);
    assert.deepEqual(await Promise.all([slow, more]), [2n, [3n, 4n, 5n]]);
    assert.equal(await store.get(2n), formatPet({ id: 2n, ...REX }));
    assert.deepEqual(commits, [1, 3]);
  }));

function isUncertain(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.mayBeStored && /writes has ended/.test(error.message);
}

test("when the thread ends, creates that it has not answered are unavailable, reads go on, a new thread takes over, and the store closes", () =>
  withThread(async (store, other, path) => {
    const threads: Worker[] = [];
    const { unref } = Worker.prototype;
    // A store detaches each thread from the process when it has started it.
    const unrefNoted = function (this: Worker) {
      threads.push(this);
      return unref.call(this);
    };
    const create = () => whileReplaced(Worker.prototype, { unref: unrefNoted }, () => store.create(REX));
    assert.equal(await create(), 1n);
    execute(path, SLOW);
    // Deno lets the thread finish this transaction. What waits for the thread is lost on every runtime.
    const running = store.create(REX).catch((error) => error);
    await untilLocked(other);
    const ended = threads[0]!.terminate();
    assert.equal(store.get(1n), formatPet({ id: 1n, ...REX }));
    const outcome = await running;
    assert.ok(outcome === 2n || isUncertain(outcome), String(outcome));
    await ended;
    other.exec("PRAGMA busy_timeout = 10000; DROP TRIGGER slow");
    const last = Number(query(path, "SELECT max(id) AS last FROM pets")[0]?.["last"]);
    // Until the store has heard of the end, a create is sent to the thread that has ended, and refused.
    const refusals: unknown[] = [];
    const refused = (error: unknown) => {
      refusals.push(error);
      return false;
    };
    await until("a create by a new thread", () => create().then((id) => id === BigInt(last + 1), refused));
    assert.ok(refusals.every(isUncertain), refusals.join());
    assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: last + 1 }]);
    await threads.at(-1)!.terminate();
    // The store hears of the end in one of the next turns, and then closes.
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  }));

test("a thread that ends before its answer, also while it starts, is a failure that may pass", () =>
  withPath(async (path) => {
    const folder = join(dirname(path), "stores/sqlite");
    mkdirSync(folder, { recursive: true });
    const module = join(folder, "writer.js");
    writeFileSync(module, "export function runInThread() {}");
    const thread = startThread(pathToFileURL(module).href, { path })!;
    const asked = assert.rejects(thread.ask("anything"), { message: "The thread has ended", isTemporary: true });
    await thread.end();
    await asked;
  }));

test("no thread starts if the file of its module is not there, as in a bundle of webpack that runs on another machine", () =>
  withPath((path) => {
    assert.equal(startThread("file:///built/lib/stores/sqlite/writer.js", { path }), undefined);
  }));

test("no thread starts of an app's bundle that has the name of the module, because it would run the app again", () =>
  withPath((path) => {
    const bundle = join(dirname(path), "writer.js");
    writeFileSync(bundle, "");
    assert.equal(startThread(pathToFileURL(bundle).href, { path }), undefined);
  }));

test("a thread does not start on a file that has been moved, and makes none in its place", () =>
  withThread(async (store, _other, path) => {
    renameSync(path, `${path}.moved`);
    await assert.rejects(store.create(REX), /has been deleted, moved or replaced/);
    assert.ok(!existsSync(path));
  }));

/** Creates a pet. On the calling thread, a commit ends in the turn of the event loop in which it begins. */
async function isCommittedHere(store: SqliteStore): Promise<boolean> {
  const created = store.create(REX);
  await new Promise((resolve) => setImmediate(resolve));
  const { unsettled } = store.batch;
  await created;
  return unsettled === 0;
}

test.path("a create that is alone is committed on the calling thread while the disk is fast, and else by the thread", async (path) => {
  await using store = openSqliteStore(path, "auto");
  for (let time = 0; time < 2; time++) {
    await until("a commit on the calling thread", () => isCommittedHere(store));
    execute(path, SLOW.replace("1000000", "100000"));
    await store.create(REX);
    assert.equal(await isCommittedHere(store), false);
    execute(path, "DROP TRIGGER slow");
  }
  // A long commit on the thread counts too.
  await until("a commit on the calling thread", () => isCommittedHere(store));
  execute(path, SLOW.replace("1000000", "100000"));
  await createMany(store, 2);
  execute(path, "DROP TRIGGER slow");
  // The first create after them may wait for another client.
  await store.create(REX);
  assert.equal(await isCommittedHere(store), false);
});

test.path("a create that has to write a long log back is committed by the thread", async (path) => {
  await using store = openSqliteStore(path, "auto");
  await until("a commit on the calling thread", () => isCommittedHere(store));
  // SQLite ignores what follows the last page of a log.
  truncateSync(`${path}-wal`, LOG_LIMIT_BYTES + 1);
  assert.equal(await isCommittedHere(store), false);
});

test.path("a process that only holds an idle store ends, and one with a pending create ends after it", async (path) => {
  const module = new URL("../../../lib/stores/sqlite/create_sqlite_store.ts", import.meta.url);
  const script = `${path}.ts`;
  writeFileSync(
    script,
    `import { createSqliteStore } from "${module}";
      const store = createSqliteStore(${JSON.stringify(path)}, { writerThread: "always" });
      const create = () => store.create({ name: "Rex", categoryId: 7n, status: "sold" });
      await create();
      if (process.argv.includes("pending")) create().then((id) => console.log("stored", id));`,
  );
  const flags = process.versions["deno"] ? ["run", "--no-config", "--no-check", "--allow-all"] : [];
  for (const [how, printed] of [["idle", ""], ["pending", "stored 3n\n"]] as const) {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, how], { timeout: 60_000 });
    assert.equal(stdout, printed);
  }
});
