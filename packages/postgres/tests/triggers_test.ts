/**
 * What another program does to the tables of a running store, and an app to the connections of its pool: a client is told of no pet that is
 * not stored, and of an outage where a pet cannot be stored.
 */

import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { formatPet, type PetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { keyOf } from "../../conformance/lib/store/keys.ts";
import { createPostgresStore } from "../mod.ts";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { PET, request, test, usingStore } from "./support.ts";

/** What another program can do to an insert, as SQL for `<table>` of the schema `{}`. */
const OTHERS: [what: string, sql: string][] = [
  [
    "a trigger ignores the row",
    `CREATE FUNCTION {}.strange() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER strange BEFORE INSERT ON {}.<table> FOR EACH ROW EXECUTE FUNCTION {}.strange()`,
  ],
  [
    "a trigger deletes the row at the commit",
    `CREATE FUNCTION {}.strange() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM {}.<table>; RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER strange AFTER INSERT ON {}.<table> DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION {}.strange()`,
  ],
  ["a rule ignores the row", "CREATE RULE strange AS ON INSERT TO {}.<table> DO INSTEAD NOTHING"],
];

/** Which creates add a row to a table: single ones, many in one statement, and those with a key. */
const CREATES: [table: string, create: (store: PetStore) => unknown][] = [
  ["pets", (store) => store.create(PET)],
  ["pets", (store) => Promise.all(Array.from({ length: 40 }, () => store.create(PET)))],
  ["requests", (store) => store.createOnce!(PET, request("a"))],
];

for (const [what, sql] of OTHERS) {
  test.schema(`a create is undone if ${what} of a pet or of an Idempotency-Key`, async (url, schema) => {
    for (const [table, create] of CREATES) {
      await usingStore(url, schema, async (store) => {
        await runSql(url, sql.replaceAll("{}", `"${schema}"`).replaceAll("<table>", table));
        await assert.rejects(async () => await create(store), StoreUnavailableError);
        assert.deepEqual(await runSql(url, `SELECT count(*) FROM "${schema}".pets`), [["0"]]);
      });
      await runSql(url, `DROP SCHEMA "${schema}" CASCADE`);
    }
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
      () => store.createOnce!(PET, request("a")),
      () => store.keys.add(keyOf("a")),
      () => store.keys.revoke(keyOf("a").id, new Date()),
    ];
    for (const change of changes) {
      await leaveOpen();
      await assert.rejects(async () => await change(), StoreUnavailableError);
      assert.ok(await change());
    }
    const pets = [2n, 4n].map((id) => formatPet({ id, ...PET }));
    assert.equal((await store.list({ after: 0n, limit: 9 })).json, `[${pets.join(",")}]`);
    assert.deepEqual((await store.keys.list()).map(({ revoked }) => revoked !== undefined), [true]);
    await store.close();
    await pool.end();
  },
);

test.schema("a pool whose connections cannot say whether a transaction is open is refused", async (url, schema) => {
  const Older = class extends Client {
    override getTransactionStatus = undefined as never;
  };
  const pool = new Pool({ connectionString: url, Client: Older as never });
  await assert.rejects(createPostgresStore(pool, { schema }), /must be of pg 8\.23 or later/);
  await pool.end();
});
