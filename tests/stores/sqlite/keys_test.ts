/** The API keys in an SQLite file: what a lock stops, changes that are noticed, and files that no store has opened. */

import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { type Rows, type RunStatements, SqlKeys } from "../../../lib/stores/sql_keys.ts";
import { ChangeWatch } from "../../../lib/stores/sqlite/change_watch.ts";
import { FileConnection } from "../../../lib/stores/sqlite/file_connection.ts";
import { listKeys, sqliteKeys } from "../../../lib/stores/sqlite/keys.ts";
import { openDatabase } from "../../../lib/stores/sqlite/open.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { execute, keyOf, test, usingStore, withOther } from "./support.ts";

test("keys are read while another connection has the write lock", () =>
  withOther(async ({ keys }, other) => {
    await keys.add(keyOf("a"));
    other.exec("BEGIN IMMEDIATE");
    const { version } = await keys.listSince!("");
    assert.deepEqual(await keys.list(), [keyOf("a")]);
    assert.deepEqual(await keys.listSince!(version), { version });
    other.exec("ROLLBACK");
  }));

test("another program's changes of several keys at once are noticed, also if they balance each other", () =>
  withOther(async ({ keys }, other) => {
    for (const id of ["a", "b"]) await keys.add(keyOf(id));
    await keys.revoke("key-b", new Date(1));
    let { version } = await keys.listSince!("");
    const changes = [
      "UPDATE api_keys SET revoked_at = CASE id WHEN 'key-a' THEN 1 END",
      "UPDATE api_keys SET digest = digest || '0' WHERE id = 'key-b'",
      "UPDATE api_keys SET caller = 'other' WHERE id = 'key-b'",
      "UPDATE api_keys SET created_at = created_at + CASE id WHEN 'key-a' THEN 1 ELSE -1 END",
    ];
    for (const sql of changes) {
      // Reads of one turn of the event loop may share a transaction.
      await new Promise((resolve) => setImmediate(resolve));
      other.exec(`BEGIN; ${sql}; COMMIT`);
      const changed = await keys.listSince!(version);
      assert.notEqual(changed.keys, undefined, sql);
      version = changed.version;
    }
  }));

test("keys are the same from a driver of SQL that gives integers as numbers, bigints or texts", () =>
  withOther(async ({ keys }, other) => {
    const all = [keyOf("a", { expires: new Date(5), revoked: new Date(6) }), keyOf("b", { readOnly: true })];
    for (const { id, revoked, ...key } of all) {
      await keys.add({ ...key, id, revoked: undefined });
      if (revoked) await keys.revoke(id, revoked);
    }
    for (const convert of [Number, BigInt, String]) {
      const givenAs = (value: unknown) => typeof value === "number" ? convert(value) : value;
      const driven = new SqlKeys(
        "api_keys",
        (_kind, ...statements) =>
          statements.map(([sql, ...values]) =>
            other.prepare(sql).all(...values).map((row) =>
              Object.fromEntries(Object.entries(row).map(([name, value]) => [name, givenAs(value)]))
            )
          ),
      );
      assert.deepEqual(await driven.list(), all, convert.name);
    }
  }));

test.path("the keys of a file are read without a store, and no other file is read", async (path) => {
  await usingStore(path, async ({ keys }) => {
    for (const id of ["b", "a"]) await keys.add(keyOf(id));
  });
  assert.deepEqual(await listKeys(path), [keyOf("b"), keyOf("a")]);
  writeFileSync(`${path}.text`, "x".repeat(5000));
  execute(`${path}.other`, "CREATE TABLE api_keys (id)");
  for (const other of [`${path}.text`, `${path}.other`, `${path}.none`]) {
    await assert.rejects(listKeys(other), StoreUnavailableError, other);
  }
});

test("a key that is added while the keys are read is found at the next look, as is one after a read that failed", () =>
  withOther(async ({ keys }, other) => {
    const state = { reads: 0, fails: false };
    const run: RunStatements = (_kind, ...statements) => {
      if (state.fails) throw new StoreUnavailableError("The disk does not answer");
      const results = statements.map(([sql, ...values]) => other.prepare(sql).all(...values) as Rows);
      if (state.reads++ === 0) keys.add(keyOf("a"));
      return results;
    };
    const looking = new SqlKeys("api_keys", run, () => JSON.stringify(other.prepare("PRAGMA data_version").get()));
    const { version } = await looking.listSince("");
    const seen = await looking.listSince(version);
    assert.equal(seen.keys?.length, 1);
    const before = state.reads;
    assert.deepEqual(await looking.listSince(seen.version), { version: seen.version });
    assert.equal(state.reads, before, "nothing was read, as nothing has changed");
    await keys.add(keyOf("b"));
    state.fails = true;
    for (let attempt = 0; attempt < 2; attempt++) {
      assert.throws(() => looking.listSince(seen.version), StoreUnavailableError);
    }
    state.fails = false;
    assert.equal((await looking.listSince(seen.version)).keys?.length, 2);
  }));

test("keys and their version are those of one moment: a key that was revoked for that moment alone is valid afterwards", () =>
  withOther(async ({ keys }, other, path) => {
    await keys.add(keyOf("a"));
    const opened = openDatabase(path);
    const { db } = opened;
    const file = new FileConnection(opened, path);
    const watch = new ChangeWatch(db, undefined);
    /** Lets the other program revoke the key between the read of the version and that of the keys. */
    const revokedMeanwhile = (sql: string) => {
      if (sql.startsWith("SELECT *")) other.exec("UPDATE api_keys SET revoked_at = 5");
      return db.prepare(sql);
    };
    const reader = sqliteKeys({ exec: db.exec.bind(db), prepare: revokedMeanwhile } as typeof db, file, watch);
    const first = await reader.listSince!("");
    other.exec("UPDATE api_keys SET revoked_at = NULL");
    const { version, keys: last = first.keys } = await reader.listSince!(first.version);
    assert.equal(version, first.version);
    assert.deepEqual(last, [keyOf("a")]);
    file.close();
  }));

test("the keys are read again when another program changes them by hand, and not when it adds pets", () =>
  withOther(async ({ keys }, other, path) => {
    await keys.add(keyOf("a"));
    const { version } = await keys.listSince!("");
    other.exec("INSERT INTO pets (name, category_id, status) VALUES ('Bo', 1, 0)");
    assert.deepEqual(await keys.listSince!(version), { version });
    for (const change of ["read_only = 1", "expires_at = 5", "revoked_at = 5"]) {
      other.exec(`UPDATE api_keys SET ${change}`);
      // Several readers, such as the key managers of two petstores, may each know another version.
      for (let reader = 0; reader < 2; reader++) {
        assert.deepEqual((await keys.listSince!(version)).keys, await keys.list(), change);
      }
    }
    const seen = await keys.listSince!("");
    assert.deepEqual(await keys.listSince!(seen.version), { version: seen.version });
    // Nobody would see a change of a file that was moved.
    renameSync(path, `${path}.moved`);
    assert.throws(() => keys.listSince!(seen.version), StoreUnavailableError);
  }));
