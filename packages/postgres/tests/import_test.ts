/** The commands import, export and keys on PostgreSQL. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportPostgres } from "../lib/exporter.ts";
import { importPets } from "../lib/importer.ts";
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

test.schema("a command that needs tables refuses a database without them, and makes none", async (url, schema) => {
  for (
    const args of [["export"], ["check"], ["keys", "list"], ["keys", "rotate", "key-1"], ["keys", "revoke", "key-1"]]
  ) {
    assertRefused(await run(url, schema, ...args), /does not exist, or has no tables/);
  }
  assert.deepEqual(await runSql(url, `SELECT to_regnamespace('"${schema}"')`), [[null]]);
});

/** Addresses that cannot be used, whether a later attempt may succeed, and what to do. */
const UNUSABLE: [address: string, isTemporary: boolean, advice: RegExp][] = [
  ["postgres://127.0.0.1:9/pets", true, / cannot be used: .*ECONNREFUSED.*; start PostgreSQL, or correct the host/],
  ["postgres://missing.invalid/pets", true, / cannot be used: .*; correct the name of the host/],
  ["missing", false, / cannot be used: .*; create the database with createdb/],
];

test.schema("a database that cannot be used is named with what to do, and whether a later attempt may succeed", async (url) => {
  for (const [address, isTemporary, message] of UNUSABLE) {
    const database = readPostgresSetting(new URL(address, url).href);
    const expected = { name: "UnusableDatabaseError", isTemporary, message };
    await assert.rejects(database.export(() => Promise.resolve()), expected);
    await assert.rejects(database.check(), expected);
    await assert.rejects(database.listKeys(), expected);
  }
  // Deno says so of a host that --allow-net does not name.
  const notPermitted = Object.assign(new Error("getaddrinfo EPERM localhost"), { code: "EPERM" });
  assert.equal(isTemporary(notPermitted), false);
  assert.match(adviceOf(notPermitted), /^; write the host in the address as it is in --allow-net/);
});

/** SQL that adds pets up to this id. */
const addUpTo = (schema: string, last: number) =>
  `INSERT INTO "${schema}".pets SELECT i, 7, 1, 'Rex' FROM generate_series(1, ${last}) AS i`;

test.tables("an export shows one moment, whatever others write meanwhile", async (url, schema) => {
  await runSql(url, addUpTo(schema, 5000));
  const texts: string[] = [];
  await withPool(url, (pool) =>
    exportPostgres(pool, { schema }, async (text) => {
      if (texts.length === 0) {
        await runSql(url, `DELETE FROM "${schema}".pets WHERE id > 4000; UPDATE "${schema}".pets SET name = 'x'`);
      }
      texts.push(text);
    }));
  const lines = texts.join("\n").split("\n");
  assert.equal(lines.length, 5_000);
  assert.equal(lines.at(-1), '{"id":5000,"name":"Rex","categoryId":7,"status":"pending"}');
  assert.ok(texts.length > 3);
});

test.tables("an export ends with the last pet, wherever its last part ends", async (url, schema) => {
  await withPool(url, async (pool) => {
    for (const count of [1, 998, 999, 1000, 1001, 2000]) {
      await runSql(url, `TRUNCATE "${schema}".pets; ${addUpTo(schema, count)}`);
      let total = 0;
      await exportPostgres(pool, { schema }, async (text, pets) => {
        assert.equal(text.split("\n").length, pets);
        await Promise.resolve(total += pets);
      });
      assert.equal(total, count);
    }
  });
});

test.tables(
  "an import and an export leave the pool as it was, and keep the error of a signal or a reader",
  async (url, schema) => {
    const pool = connect(url, schema, 1);
    const listeners = () => ["error", "connect", "acquire"].map((event) => pool.listenerCount(event));
    const before = listeners();
    const full = new Error("The disk is full"), stopped = AbortSignal.abort(new Error("The import was stopped"));
    for (let round = 1; round < 3; round++) {
      await assert.rejects(importPets(pool, { schema }, EDGES, stopped), (error) => error === stopped.reason);
      await importPets(pool, { schema }, EDGES, new AbortController().signal);
      await assert.rejects(exportPostgres(pool, { schema }, () => Promise.reject(full)), (error) => error === full);
      // The transaction of the failed export has ended, and its cursor with it.
      assert.deepEqual((await pool.query("SELECT count(*)::int AS cursors FROM pg_cursors")).rows, [{ cursors: 0 }]);
      let total = 0;
      await exportPostgres(pool, { schema }, async (_, pets) => void await Promise.resolve(total += pets));
      assert.equal(total, 3 * round);
      assert.deepEqual(listeners(), before);
      const connection = await pool.connect();
      // The pool has taken its own listener off meanwhile.
      assert.equal(connection.listenerCount("error"), 0);
      connection.release();
    }
    await pool.end();
    // A server keeps them too, which adds what to do to the errors of the database alone.
    const database = readPostgresSetting(`${url}?schema=${schema}`);
    await assert.rejects(
      database.export(() => Promise.reject(Object.assign(full, { code: "ENOSPC" }))),
      (error) => error === full,
    );
  },
);

test.tables("an export whose connection breaks fails, and says why it broke", async (url, schema) => {
  await runSql(url, addUpTo(schema, 5000));
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

test.tables("an export that waits for ever fails", async (url, schema) => {
  await withPool(url, async (pool) => {
    const locker = await pool.connect();
    await locker.query(`BEGIN; LOCK TABLE "${schema}".pets IN ACCESS EXCLUSIVE MODE`);
    await assert.rejects(
      exportPostgres(pool, { schema, timeoutMs: 50 }, () => Promise.resolve()),
      /PostgreSQL: .*timeout/,
    );
    locker.release(true);
  });
});

/** Makes each statement that adds pets take a second. */
const SLOW = (schema: string) =>
  `CREATE FUNCTION "${schema}".pause() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END';
  CREATE TRIGGER slow BEFORE INSERT ON "${schema}".pets EXECUTE FUNCTION "${schema}".pause()`;

test.tables(
  "an import that is killed or told to end while PostgreSQL adds its pets adds all of them, or none",
  (url, schema) =>
    inFolder(async (folder) => {
      await runSql(url, SLOW(schema));
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
