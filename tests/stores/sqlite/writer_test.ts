/** The thread that writes: what it does for reads, how it is shared, and what becomes of creates when it ends. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { promisify } from "node:util";
import { createSqliteStore, type SqliteStoreOptions } from "../../../lib/stores/sqlite/sqlite_store.ts";
import type { OpenedFiles } from "../../../lib/stores/sqlite/file.ts";
import { openDatabase } from "../../../lib/stores/sqlite/open.ts";
import { WriterThread } from "../../../lib/stores/sqlite/start_writer.ts";
import { SqliteStore } from "../../../lib/stores/sqlite/store.ts";
import type { WriterPort } from "../../../lib/stores/sqlite/writer_messages.ts";
import { formatPet, formatPets, type PetStore, StoreUnavailableError } from "../../../mod.ts";
import { withTempFolder } from "../../support/temp.ts";
import { until } from "../../support/until.ts";
import { countCommits, createMany, execute, query, request, REX, walk, withPath } from "./support.ts";

interface Kit {
  path: string;
  /** A store whose creates go to {@link Kit.thread}. */
  store: SqliteStore;
  thread: () => WriterThread;
  /** The ports that stores have got. */
  ports: WriterPort[];
  /** Opens another store on the same thread. */
  openAnother(): Promise<SqliteStore>;
}

/** Runs `use` with a thread and a store that is connected to it. A thread that has ended is replaced, as a store does it. */
function withThread(use: (kit: Kit) => void | Promise<void>): Promise<void> {
  return withPath(async (path) => {
    const { db, files } = openDatabase(path);
    const ports: WriterPort[] = [];
    let thread = WriterThread.start(files!.opened)!;
    const connect = async (lost: () => void) => {
      if (thread.hasEnded) thread = WriterThread.start(files!.opened)!;
      const port = await thread.connect(lost);
      if (port) ports.push(port);
      return port;
    };
    const open = async () => {
      const store = SqliteStore.join(files!.opened, { connect, close() {} });
      opened.push(store);
      await store.startWriter();
      return store;
    };
    const opened: SqliteStore[] = [];
    const store = await open();
    await use({ path, store, thread: () => thread, ports, openAnother: open });
    for (const each of opened) await each.close();
    await thread.close();
    db.close();
  });
}

/** Makes each new pet take long to insert, until it is switched off. */
const SLOW = `CREATE TRIGGER slow AFTER INSERT ON pets BEGIN
  SELECT count(*) FROM (WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT i FROM n);
END`;

/** Whether another connection is in a transaction that writes. */
function isLocked(db: DatabaseSync): boolean {
  try {
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch {
    return true;
  }
}

test("while the thread is in a transaction, reads are answered", () =>
  withThread(async ({ path, store }) => {
    await store.create(REX);
    execute(path, SLOW);
    const other = new DatabaseSync(path);
    const slow = store.create(REX);
    // On the calling thread, nothing can run between the beginning and the end of a transaction.
    await until("the thread has the write lock", () => isLocked(other));
    assert.equal(await store.get(1n), formatPet({ id: 1n, ...REX }));
    assert.equal(await store.get(2n), undefined);
    assert.equal(await slow, 2n);
    assert.equal(await store.get(2n), formatPet({ id: 2n, ...REX }));
    other.close();
  }));

test("while the thread is in a transaction, later creates gather and share the next one", () =>
  withThread(async ({ path, store }) => {
    execute(path, SLOW);
    const other = new DatabaseSync(path);
    const slow = store.create(REX);
    await until("the thread has the write lock", () => isLocked(other));
    const before = countCommits(path);
    const more = createMany(store, 3);
    assert.deepEqual(await Promise.all([slow, more]), [1n, [2n, 3n, 4n]]);
    assert.equal(countCommits(path), before + 2);
    other.close();
  }));

test("the next read after a create shows it, also in the turn of the event loop in which it resolves", () =>
  withThread(async ({ store }) => {
    for (let id = 1n; id <= 50n; id++) {
      const before = store.changes();
      const { additions } = before;
      const read = store.create(REX).then((created) => [created, store.changes().additions, store.get(created)]);
      const [created, after, json] = await read;
      assert.deepEqual([created, json], [id, formatPet({ id, ...REX })]);
      assert.ok(Number(after) > additions);
    }
  }));

test("creates of several stores share the transactions of one thread, and each gets its own outcomes", () =>
  withThread(async ({ path, store, openAnother }) => {
    const second = await openAnother();
    await store.create(REX);
    const stores = [store, second];
    const before = countCommits(path);
    const sent = Array.from({ length: 40 }, (_, i) => {
      const name = `${i}`;
      return stores[i % 2]!.create({ ...REX, name }).then((id) => ({ id, ...REX, name }));
    });
    const pets = (await Promise.all(sent)).sort((a, b) => Number(a.id - b.id));
    assert.ok(countCommits(path) <= before + 2);
    assert.deepEqual(await store.list({ after: 1n, limit: 100 }), { json: formatPets(pets) });
    assert.deepEqual(await second.list({ after: 1n, limit: 100 }), { json: formatPets(pets) });
  }));

test("two stores on one thread create one pet for one request", () =>
  withThread(async ({ store, openAnother }) => {
    const second = await openAnother();
    const sent = Array.from({ length: 20 }, (_, i) => [store, second][i % 2]!.createOnce(REX, request("a")));
    const outcomes = await Promise.all(sent);
    assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), ["created", ...Array(19).fill("replayed")]);
    assert.deepEqual(await walk(store), [1]);
    const other = { ...request("a"), fingerprint: "other" };
    assert.deepEqual(await second.createOnce(REX, other), { outcome: "reused" });
  }));

test("when the thread ends, creates that it has not answered are unavailable, reads go on, and a new thread takes over", () =>
  withThread(async ({ path, store, thread, ports }) => {
    await store.create(REX);
    execute(path, SLOW);
    const other = new DatabaseSync(path);
    const outcomes = Promise.allSettled([store.create(REX), store.create(REX)]);
    await until("the thread has the write lock", () => isLocked(other));
    const first = thread();
    const ended = first.terminate();
    assert.equal(await store.get(1n), formatPet({ id: 1n, ...REX }));
    for (const outcome of await outcomes) {
      assert.ok(
        outcome.status === "rejected" && outcome.reason instanceof StoreUnavailableError,
        String(outcome.status),
      );
      assert.match(outcome.reason.message, /thread that writes has ended/);
    }
    await ended;
    other.exec("PRAGMA busy_timeout = 10000; DROP TRIGGER slow");
    const last = Number(query(path, "SELECT max(id) AS last FROM pets")[0]?.["last"]);
    // Until the new thread is ready, creates are committed without it.
    assert.equal(await store.create(REX), BigInt(last + 1));
    await until("a new thread is connected", async () => {
      await store.create(REX);
      return ports.length === 2;
    });
    assert.notEqual(thread(), first);
    const id = await store.create(REX);
    assert.deepEqual(await walk(store), Array.from({ length: Number(id) }, (_, i) => i + 1));
    other.close();
  }));

test("a message that the thread does not understand is answered as a defect, and the thread goes on", () =>
  withThread(async ({ store, thread }) => {
    const port = await thread().connect(() => {});
    const reply = new Promise((resolve) => port!.onmessage = ({ data }) => resolve(data));
    port!.postMessage("nonsense");
    assert.match(((await reply) as Error).message, /./);
    port!.close();
    assert.equal(await store.create(REX), 1n);
    assert.equal(thread().hasEnded, false);
  }));

test("a thread does not start on a file that has been replaced, and makes no file where it is missing", () =>
  withPath(async (path) => {
    const { db, files } = openDatabase(path);
    const { opened } = files!;
    const missing = { ...opened, path: `${path}.missing` };
    const [name, { dev, ino }] = opened.identities[0]!;
    const replaced: OpenedFiles = { ...opened, identities: [[name, { dev, ino: ino + 1n }]] };
    const gone: OpenedFiles = { ...missing, identities: [[missing.path, { dev, ino }]] };
    for (const each of [replaced, gone]) {
      assert.equal(await WriterThread.start(each)!.connect(() => {}), undefined);
    }
    assert.ok(!existsSync(missing.path));
    db.close();
  }));

test("a store whose thread cannot be started commits on the calling thread", () =>
  withPath(async (path) => {
    const { db, files } = openDatabase(path);
    let attempts = 0;
    for (const connect of [() => Promise.resolve(undefined), () => Promise.reject(new Error("no threads here"))]) {
      const counted = () => {
        attempts++;
        return connect();
      };
      const store = SqliteStore.join(files!.opened, { connect: counted, close() {} });
      await store.startWriter();
      for (let i = 0; i < 3; i++) await store.create(REX);
      await store.close();
    }
    db.close();
    // A failed start is not repeated with each create.
    assert.equal(attempts, 2);
    assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: 6 }]);
  }));

test("closing a store commits the creates that wait for the thread's commit", () =>
  withPath(async (path) => {
    const store: PetStore = createSqliteStore(path);
    const first = createMany(store, 700);
    await first;
    const started = SqliteStore.open(path, "thread");
    await started.startWriter();
    const sent = createMany(started, 700);
    const more = new Promise((resolve) => setImmediate(resolve)).then(() => createMany(started, 20));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([started.close(), started.close()]);
    assert.equal((await sent).length + (await more).length, 720);
    await assert.rejects(() => started.create(REX), StoreUnavailableError);
    await store.close();
    assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: 1420 }]);
  }));

test("an unknown option of an SQLite store is a TypeError", () => {
  for (const options of [{ writer: "process" }, { writers: "thread" }]) {
    assert.throws(() => createSqliteStore(":memory:", options as SqliteStoreOptions), TypeError);
  }
});

/** Runs a program in another process of this runtime, in a folder of its own, and returns what it printed. */
async function runProgram(code: string, look: (folder: string) => void = () => {}): Promise<string> {
  return await withTempFolder(async (folder) => {
    const module = (path: string) =>
      JSON.stringify(new URL(`../../../lib/stores/sqlite/${path}`, import.meta.url).href);
    const script = join(folder, "program.ts");
    writeFileSync(
      script,
      `import { createSqliteStore } from ${module("sqlite_store.ts")};
      import { SqliteStore } from ${module("store.ts")};
      const pet = { name: "Rex", categoryId: 7n, status: "sold" };
      ${code}`,
    );
    const flags = process.versions["deno"] ? ["run", "--no-config", "--no-check", "--allow-all"] : [];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, script], {
      cwd: folder,
      timeout: 60_000,
    });
    look(folder);
    return stdout.trim();
  });
}

test("a process that only holds an idle store ends, and one with a pending create ends after it", async () => {
  const idle = `const store = SqliteStore.open("pets.db", "thread");
    await store.startWriter();
    await store.create(pet);`;
  assert.equal(await runProgram(`${idle} console.log("idle")`), "idle");
  assert.equal(await runProgram(`${idle} store.create(pet).then((id) => console.log("stored", id))`), "stored 2n");
});

test("a process that ends in the middle of commits leaves a whole file with every pet that it acknowledged", async () => {
  let rows: unknown[] = [];
  const printed = await runProgram(
    `const store = createSqliteStore("pets.db");
    const { default: process } = await import("node:process");
    let last = 0n;
    const createOnAndOn = async () => {
      while (true) last = await store.create(pet);
    };
    for (let i = 0; i < 40; i++) createOnAndOn();
    while (last < 2000n) await new Promise((resolve) => setTimeout(resolve, 1));
    console.log(String(last));
    process.exit();`,
    (folder) => rows = query(join(folder, "pets.db"), "SELECT count(*) AS count, max(id) AS last FROM pets"),
  );
  const { count, last } = rows[0] as { count: number; last: number };
  assert.ok(Number(printed) >= 2000 && last >= Number(printed));
  assert.equal(count, last);
});
