/**
 * What another program does to the tables of a running store, and an app to the connections of its
 * pool: a client is told of no pet that is not stored, and of an outage where a pet cannot be
 * stored.
 */

import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { formatPet, StoreUnavailableError } from "@petstore/petstore/store";
import { keyOf } from "../../conformance/lib/store/keys.ts";
import { createPostgresStore } from "../mod.ts";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { PET, request, test } from "./support.ts";

const FUNCTION = "CREATE FUNCTION {}.strange() RETURNS trigger LANGUAGE plpgsql AS";

/** What another program can do to an insert, as SQL for the schema `{}`. */
const OTHERS: [what: string, sql: string][] = [
  [
    "a trigger ignores a pet",
    `${FUNCTION} 'BEGIN RETURN NULL; END';
    CREATE TRIGGER strange BEFORE INSERT ON {}.pets FOR EACH ROW EXECUTE FUNCTION {}.strange()`,
  ],
  [
    "a trigger deletes a pet at the commit",
    `${FUNCTION} 'BEGIN DELETE FROM {}.pets; RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER strange AFTER INSERT ON {}.pets DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION {}.strange()`,
  ],
  ["a rule ignores a pet", "CREATE RULE strange AS ON INSERT TO {}.pets DO INSTEAD NOTHING"],
  ["a rule ignores an Idempotency-Key", "CREATE RULE strange AS ON INSERT TO {}.requests DO INSTEAD NOTHING"],
];

for (const [what, sql] of OTHERS) {
  test.store(`creates are undone if ${what}`, async (store, url, schema) => {
    await runSql(url, sql.replaceAll("{}", `"${schema}"`));
    const creates = Array.from({ length: 40 }, (_, i) => store.createOnce!(PET, request(`${i}`)));
    for (const created of await Promise.allSettled(creates)) {
      assert.ok(created.status === "rejected" && created.reason instanceof StoreUnavailableError);
    }
    assert.deepEqual(await runSql(url, `SELECT count(*) FROM "${schema}".pets`), [["0"]]);
  });
}

test.schema(
  "nothing is acknowledged in a transaction that the app has left open on a connection of the pool",
  async (url, schema) => {
    // The parsers of values, even of texts, are the app's own too.
    const pool = new Pool({ connectionString: url, max: 1, types: { getTypeParser: () => () => 0 as never } });
    await using store = await createPostgresStore(pool, { schema });
    const leaveOpen = async () => {
      const client = await pool.connect();
      // The app does not wait for it, so that it may come after the connection was given back.
      client.query("BEGIN").catch(() => {});
      client.release();
    };
    const changes: (() => unknown)[] = [
      () => store.create(PET),
      () => store.keys.add(keyOf("a")),
    ];
    for (const change of changes) {
      await leaveOpen();
      await assert.rejects(async () => await change(), StoreUnavailableError);
      assert.ok(await change());
    }
    assert.equal((await store.list({ after: 0n, limit: 9 })).json, `[${formatPet({ id: 2n, ...PET })}]`);
    assert.equal((await store.keys.list()).length, 1);
    await store.close();
    await pool.end();
  },
);

test.schema("a pool may ask for binary values, for the app's own statements", async (url, schema) => {
  // The types of node-postgres lack this option.
  const binary = { binary: true };
  const pool = new Pool({ connectionString: url, max: 1, ...binary });
  const store = await createPostgresStore(pool, { schema });
  assert.equal(await store.create(PET), 1n);
  assert.deepEqual(await store.createOnce!(PET, request("once")), { outcome: "created", id: 2n });
  assert.deepEqual(await store.createOnce!(PET, request("once")), { outcome: "replayed", id: 2n });
  assert.equal(await store.get(2n), formatPet({ id: 2n, ...PET }));
  assert.equal(await store.keys.add(keyOf("a")), true);
  assert.deepEqual(await store.keys.list(), [keyOf("a")]);
  await store.close();
  await pool.end();
});

test.schema("a pool whose connections cannot say whether a transaction is open is refused", async (url, schema) => {
  const Older = class extends Client {
    override getTransactionStatus = undefined as never;
  };
  const pool = new Pool({ connectionString: url, Client: Older as never });
  await assert.rejects(createPostgresStore(pool, { schema }), /must be of pg 8\.23 or later/);
  await pool.end();
});
