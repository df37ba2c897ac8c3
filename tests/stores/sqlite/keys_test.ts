/** The API keys in an SQLite file: what a lock stops, what is durable, and files that no store has opened. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { SqlKeys } from "../../../lib/stores/sql_keys.ts";
import { listKeys } from "../../../lib/stores/sqlite/keys.ts";
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
