/** The commands import, export and keys on PostgreSQL. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "../lib/client/database.ts";
import { exportPostgres } from "../lib/exporter.ts";
import { importPets } from "../lib/importer.ts";
import { createPostgresStore, postgresSchema } from "../mod.ts";
import { adviceOf, isTemporary } from "../lib/client/errors.ts";
import { readPostgresSetting } from "../server.ts";
import { connect, runSql, withPool } from "../../../tests/support/postgres/postgres.ts";
import { inFolder, runHere } from "../../../tests/support/server/in_process.ts";
import { type ServerExit, ServerProcess } from "../../../tests/support/server/server_process.ts";
import { until } from "../../../tests/support/until.ts";
import type { PetDraft } from "../../../lib/pet.ts";
import { assertRefused, makeDrafts, toNdjson } from "../../../tests/support/server/pet_files.ts";
import { test } from "./support.ts";

function run(url: string, schema: string, ...args: string[]): Promise<ServerExit> {
  return runHere(args, { PETSTORE_STORE: `${url}?schema=${schema}` });
}

const EDGES: PetDraft[] = [
  { name: 'Say "hello", \\Luna', categoryId: 2n ** 63n - 1n, status: "sold" },
  { name: "Zoë 🐕 咪咪 {}", categoryId: -(2n ** 63n), status: "pending" },
  { name: "NULL", categoryId: 2n ** 53n + 1n, status: "available" },
];

test.schema(
  "what import adds, export shows, and a bad line adds nothing",
  (url, schema) =>
    inFolder(async (folder) => {
      const drafts = [...EDGES, ...makeDrafts(9_000)];
      writeFileSync(join(folder, "a.ndjson"), toNdjson(drafts));
      const first = await run(url, schema, "import", "a.ndjson");
      assert.equal(first.stdout, "a.ndjson: 9003 pets added\n");
      assert.match(first.stderr, /^petstore: postgres:.* is new\n$/);
      writeFileSync(join(folder, "bad.ndjson"), `${toNdjson(drafts)}{}\n`);
      assert.equal((await run(url, schema, "import", "bad.ndjson")).status, 2);
      const { status, stdout } = await run(url, schema, "export");
      assert.equal(status, 0);
      const wanted = toNdjson(drafts).split("\n").slice(0, -1).map((line, i) => `{"id":${i + 1},${line.slice(1)}\n`);
      assert.equal(stdout, wanted.join(""));
    }),
);

test.schema(
  "export, keys rotate and keys revoke refuse a database without tables and make none",
  (url, schema) =>
    inFolder(async () => {
      for (const args of [["export"], ["keys", "rotate", "key-1"], ["keys", "revoke", "key-1"]]) {
        assertRefused(await run(url, schema, ...args), /does not exist, or has no tables/);
        assert.deepEqual(await runSql(url, `SELECT to_regclass('"${schema}".pets')`), [[null]]);
      }
      await runSql(url, postgresSchema(schema));
      assert.deepEqual(await run(url, schema, "export"), { status: 0, stdout: "", stderr: "" });
    }),
);

test.schema(
  "a failed sink or a stopped import is no fault of the database, and keeps its own error",
  async (url, schema) => {
    const database = readPostgresSetting(`${url}?schema=${schema}`);
    const stopped = AbortSignal.abort(new Error("The import was stopped"));
    await assert.rejects(database.import(EDGES, stopped), (error) => error === stopped.reason);
    await database.import(EDGES, new AbortController().signal);
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    await assert.rejects(database.export(() => Promise.reject(full)), (error) => error === full);
  },
);

test.schema(
  "an export or a check of a database that cannot be used says what to do, and whether a later one may succeed",
  async (url, schema) => {
    const other = new URL(url);
    other.pathname = "/missing";
    const expectations: [address: string, isTemporary: boolean, message: RegExp][] = [
      ["postgres://127.0.0.1:9/pets", true, / cannot be used: .*ECONNREFUSED.*; start PostgreSQL, or correct the host/],
      ["postgres://missing.invalid/pets", true, / cannot be used: .*; correct the name of the host/],
      [other.href, false, / cannot be used: .*; create the database with createdb/],
      [`${url}?schema=${schema}`, false, / cannot be used: /],
    ];
    for (const [address, isTemporary, message] of expectations) {
      const database = readPostgresSetting(address);
      const expected = { name: "UnusableDatabaseError", isTemporary, message };
      await assert.rejects(database.export(() => Promise.resolve()), expected);
      await assert.rejects(database.check(), expected);
      await assert.rejects(database.listKeys(), expected);
    }
    // Deno says so of a host that --allow-net does not name.
    const notPermitted = Object.assign(new Error("getaddrinfo EPERM localhost"), { code: "EPERM" });
    assert.equal(isTemporary(notPermitted), false);
    assert.match(adviceOf(notPermitted), /^; write the host in the address as it is in --allow-net/);
  },
);

test.schema("an export shows one moment, whatever others write meanwhile", async (url, schema) => {
  await withPool(url, async (pool) => {
    const store = await createPostgresStore(pool, { schema });
    await store.create(EDGES[0]!);
    await runSql(url, `INSERT INTO "${schema}".pets SELECT i, 7, 1, 'Rex' FROM generate_series(2, 5000) AS i`);
    const texts: string[] = [];
    await exportPostgres(pool, { schema }, async (text) => {
      if (texts.length === 0) {
        await runSql(url, `DELETE FROM "${schema}".pets WHERE id > 4000; UPDATE "${schema}".pets SET name = 'x'`);
      }
      texts.push(text);
    });
    const lines = texts.join("\n").split("\n");
    assert.equal(lines.length, 5_000);
    assert.equal(lines.at(-1), '{"id":5000,"name":"Rex","categoryId":7,"status":"pending"}');
    assert.ok(texts.length > 3);
    await store.close();
  });
});

test.schema("an export ends with the last pet, wherever its last part ends", async (url, schema) => {
  await runSql(url, postgresSchema(schema));
  for (const count of [1, 998, 999, 1000, 1001, 2000]) {
    await runSql(
      url,
      `TRUNCATE "${schema}".pets; INSERT INTO "${schema}".pets SELECT i, 7, 1, 'Rex' FROM generate_series(1, ${count}) AS i`,
    );
    let total = 0;
    await withPool(url, (pool) =>
      exportPostgres(pool, { schema }, (text, pets) => {
        assert.equal(text.split("\n").length, pets);
        total += pets;
        return Promise.resolve();
      }));
    assert.equal(total, count);
  }
});

test.schema(
  "an import and an export leave the pool as it was, also an export whose reader fails",
  async (url, schema) => {
    const pool = connect(url, schema, 1);
    const signal = new AbortController().signal;
    const listeners = () => ["error", "connect", "acquire"].map((event) => pool.listenerCount(event));
    const before = listeners();
    const full = new Error("The disk is full");
    for (let round = 1; round < 3; round++) {
      await importPets(pool, { schema }, EDGES, signal);
      await assert.rejects(exportPostgres(pool, { schema }, () => Promise.reject(full)), (error) => error === full);
      // The transaction of the failed export has ended, and its cursor with it.
      assert.deepEqual((await pool.query("SELECT count(*)::int AS cursors FROM pg_cursors")).rows, [{ cursors: 0 }]);
      let total = 0;
      await exportPostgres(pool, { schema }, (_, pets) => Promise.resolve(void (total += pets)));
      assert.equal(total, 3 * round);
      assert.deepEqual(listeners(), before);
      const connection = await pool.connect();
      // The pool has taken its own listener off meanwhile.
      assert.equal(connection.listenerCount("error"), 0);
      connection.release();
    }
    await pool.end();
  },
);

test.schema("an export whose connection breaks fails, and says why it broke", async (url, schema) => {
  await runSql(url, postgresSchema(schema));
  await runSql(url, `INSERT INTO "${schema}".pets SELECT i, 7, 1, 'Rex' FROM generate_series(1, 5000) AS i`);
  const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query LIKE 'FETCH%' AND pid <> pg_backend_pid()`;
  let pages = 0;
  const broken = withPool(url, (pool) =>
    exportPostgres(pool, { schema }, async () => {
      if (pages++ > 0) return;
      assert.deepEqual(await runSql(url, kill), [["true"]]);
      await until("the end of the session", async () => (await runSql(url, kill)).length === 0);
    }));
  await assert.rejects(broken, { name: "StoreUnavailableError", message: /^PostgreSQL: terminating .* 57P01\)$/ });
  assert.ok(pages < 5);
});

test.schema("an export that waits ten times as long as a request fails", async (url, schema) => {
  await runSql(url, postgresSchema(schema));
  await withPool(url, async (pool) => {
    const locker = await pool.connect(), options = { schema, timeoutMs: 50 };
    await locker.query(`BEGIN; LOCK TABLE "${schema}".pets IN ACCESS EXCLUSIVE MODE`);
    const refused = assert.rejects(exportPostgres(pool, options, () => Promise.resolve()), /PostgreSQL: .*timeout/);
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${schema}".pets%'`;
    await until("an export that waits", async () => (await runSql(url, waiting)).length > 0);
    // A request with a little more time is given up later.
    const db = new Database(pool, options);
    await assert.rejects(db.query(`SELECT name FROM "${schema}".pets`, [], { deadline: performance.now() + 600 }));
    db.release();
    await locker.query("COMMIT");
    locker.release();
    await refused;
  });
});

/** Makes each statement that adds pets take a second. */
const SLOW = (schema: string) =>
  `CREATE FUNCTION "${schema}".pause() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END';
  CREATE TRIGGER slow BEFORE INSERT ON "${schema}".pets EXECUTE FUNCTION "${schema}".pause()`;

test.schema(
  "an import that is killed or told to end while PostgreSQL adds its pets adds all of them, or none",
  (url, schema) =>
    inFolder(async (folder) => {
      await runSql(url, `${postgresSchema(schema)}; ${SLOW(schema)}`);
      writeFileSync(join(folder, "a.ndjson"), toNdjson(makeDrafts(3_000)));
      const env = { PETSTORE_STORE: `${url}?schema=${schema}` };
      const active = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%"${schema}".add_pets%'
        AND pid <> pg_backend_pid()`;
      const isAdding = async () => (await runSql(url, active)).length > 0;
      for (
        const [signal, said] of [["SIGKILL", ""], ["SIGTERM", "petstore: .*it adds all of them, or none\n"]] as const
      ) {
        await using child = new ServerProcess(folder, { args: ["import", "a.ndjson"], env });
        await until("PostgreSQL to add the pets", isAdding);
        await child.stop(signal);
        assert.match(child.written.stderr, new RegExp(`^${said}$`));
        await until("the end of the statement", async () => !await isAdding());
        const stored = Number((await runSql(url, `SELECT count(*) FROM "${schema}".pets`))[0]?.[0]);
        assert.ok([0, 3_000, 6_000].includes(stored), String(stored));
      }
    }),
);
