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
import { exportPostgres } from "../lib/exporter.ts";
import { connect, runSql } from "../../../tests/support/postgres/postgres.ts";
import { PET, request, test, usingStore } from "./support.ts";

/** What another program can do to an insert, as SQL for a table of the schema. */
const OTHERS: [what: string, sql: (schema: string, table: string) => string][] = [
  ["a trigger ignores the row", (schema, table) => trigger(schema, table, "BEFORE", "RETURN NULL;")],
  [
    "a trigger deletes the row",
    (schema, table) => trigger(schema, table, "AFTER", `DELETE FROM "${schema}".${table}; RETURN NULL;`),
  ],
  [
    "a trigger deletes the row at the commit",
    (schema, table) =>
      `CREATE FUNCTION "${schema}".strange() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
      DELETE FROM "${schema}".${table}; RETURN NULL; END $f$;
    CREATE CONSTRAINT TRIGGER strange AFTER INSERT ON "${schema}".${table} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION "${schema}".strange()`,
  ],
  [
    "a rule ignores the row",
    (schema, table) => `CREATE RULE strange AS ON INSERT TO "${schema}".${table} DO INSTEAD NOTHING`,
  ],
  // A pet has no such column, so its trigger fails.
  [
    "a trigger changes the end",
    (schema, table) => trigger(schema, table, "BEFORE", "NEW.expires_at := 0; RETURN NEW;"),
  ],
];

function trigger(schema: string, table: string, time: string, body: string): string {
  return `CREATE FUNCTION "${schema}".strange() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN ${body} END $f$;
    CREATE TRIGGER strange ${time} INSERT ON "${schema}".${table} FOR EACH ROW EXECUTE FUNCTION "${schema}".strange()`;
}

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
        await runSql(url, sql(schema, table));
        await assert.rejects(async () => await create(store), StoreUnavailableError);
        assert.deepEqual(await runSql(url, `SELECT count(*) FROM "${schema}".pets`), [["0"]]);
      });
      await runSql(url, `DROP SCHEMA "${schema}" CASCADE`);
    }
  });
}

/** What another program can do to the tables, and the SQL that undoes it. `{}` stands for the schema. */
const ALTERATIONS: readonly [what: string, sql: string, undo: string][] = [
  ["renames the table", "ALTER TABLE {}.pets RENAME TO moved", "ALTER TABLE {}.moved RENAME TO pets"],
  ["renames a column", "ALTER TABLE {}.pets RENAME name TO nom", "ALTER TABLE {}.pets RENAME nom TO name"],
  [
    "adds a constraint",
    "ALTER TABLE {}.pets ADD CONSTRAINT short CHECK (name = '') NOT VALID",
    "ALTER TABLE {}.pets DROP CONSTRAINT short",
  ],
  [
    "makes a column of texts shorter",
    "ALTER TABLE {}.pets ALTER name TYPE varchar(2) USING 'R'",
    "ALTER TABLE {}.pets ALTER name TYPE text",
  ],
  [
    "makes a column of numbers smaller",
    "ALTER TABLE {}.pets ALTER category_id TYPE smallint",
    "ALTER TABLE {}.pets ALTER category_id TYPE bigint",
  ],
  [
    "has left no partition for the next id",
    `ALTER TABLE {}.pets RENAME TO moved;
    CREATE TABLE {}.pets (LIKE {}.moved INCLUDING ALL) PARTITION BY RANGE (id);
    CREATE TABLE {}.first PARTITION OF {}.pets FOR VALUES FROM (1) TO (2)`,
    "CREATE TABLE {}.second PARTITION OF {}.pets DEFAULT",
  ],
];

/** A pet that a smaller type cannot hold. */
const OTHER_PET = { ...PET, categoryId: 2n ** 40n };

for (const [what, sql, undo] of ALTERATIONS) {
  test.store(`a create is refused as an outage while another program ${what}`, async (store, url, schema) => {
    const run = (text: string) => runSql(url, text.replaceAll("{}", `"${schema}"`));
    await store.create(PET);
    await run(sql);
    await assert.rejects(async () => await store.create(OTHER_PET), StoreUnavailableError);
    await assert.rejects(async () => await store.createOnce!(OTHER_PET, request("a")), StoreUnavailableError);
    await run(undo);
    assert.equal((await store.createOnce!(OTHER_PET, request("a"))).outcome, "created");
  });
}

test.schema(
  "nothing is acknowledged in a transaction that the app has left open on a connection of the pool",
  async (url, schema) => {
    const pool = connect(url, "shared", 1);
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
    assert.deepEqual(await runSql(url, `SELECT id FROM "${schema}".pets ORDER BY id`), [["2"], ["4"]]);
    assert.deepEqual(await runSql(url, `SELECT revoked_at IS NULL FROM "${schema}".api_keys`), [["false"]]);
    await store.close();
    await pool.end();
  },
);

test.schema("a pool whose connections cannot say whether a transaction is open is refused", async (url, schema) => {
  for (const getTransactionStatus of [undefined, () => null]) {
    const Older = class extends Client {
      override getTransactionStatus = getTransactionStatus as never;
    };
    const pool = new Pool({ connectionString: url, Client: Older as never });
    await assert.rejects(createPostgresStore(pool, { schema }), /must be of pg 8\.23 or later/);
    await pool.end();
  }
});

test.schema("the parsers that an app has set for values, even for texts, change no result", async (url, schema) => {
  const pool = new Pool({ connectionString: url, types: { getTypeParser: () => () => 0 as never } });
  const store = await createPostgresStore(pool, { schema });
  const id = await store.create(PET), pet = formatPet({ id, ...PET });
  assert.equal(await store.get(id), pet);
  await store.keys.add(keyOf("a"));
  assert.equal((await store.keys.list()).length, 1);
  await exportPostgres(pool, { schema }, (text) => Promise.resolve(assert.equal(text, pet)));
  await store.close();
  await pool.end();
});
