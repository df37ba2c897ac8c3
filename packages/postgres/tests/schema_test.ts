import assert from "node:assert/strict";
import { createPostgresStore, postgresGrants, postgresSchema } from "../mod.ts";
import { migrationSql } from "../lib/schema/schema.ts";
import { MIGRATIONS } from "../lib/schema/tables.ts";
import { formatPet, type KeyedPetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { keyOf } from "../../conformance/lib/store/keys.ts";
import { runSql, withPool } from "../../../tests/support/postgres/postgres.ts";
import { forgetCall, PET, test, usingStore, withRole } from "./support.ts";

function addOne(url: string, schema: string): Promise<bigint> {
  return usingStore(url, schema, async (store) => {
    const id = await store.create(PET);
    assert.equal(await store.get(id), formatPet({ id, ...PET }));
    return id;
  });
}

function assertRefused(url: string, schema: string, message: RegExp): Promise<void> {
  return withPool(url, async (client) => {
    await assert.rejects(createPostgresStore(client, { schema }), (error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, message);
      return true;
    });
  });
}

test.schema("ten servers may start at once on an empty database, and later ones keep the pets", async (url, schema) => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => addOne(url, schema)));
  assert.deepEqual(ids.toSorted((a, b) => Number(a - b)), ids.map((_, i) => BigInt(i + 1)));
  assert.equal(await addOne(url, schema), 11n);
  await runSql(url, postgresSchema(schema));
  assert.equal(await addOne(url, schema), 12n);
});

/** The migrations of a made-up later program. */
const SECOND = [
  ...MIGRATIONS,
  (to: string) => `CREATE TABLE ${to}.runs (n integer); INSERT INTO ${to}.runs VALUES (1);`,
];

test.schema(
  "a migration that fails changes nothing, and the next one runs once: an earlier program then refuses the schema",
  async (url, schema) => {
    assert.equal(await addOne(url, schema), 1n);
    const read = (what: string) => runSql(url, `SELECT ${what}`);
    const failing = [SECOND[0]!, (to: string) => `${SECOND[1]!(to)} INSERT INTO ${to}.nowhere VALUES (1);`];
    await assert.rejects(runSql(url, migrationSql(schema, failing)), /nowhere/);
    assert.deepEqual(await read(`version FROM "${schema}".schema_version`), [["1"]]);
    assert.deepEqual(await read(`to_regclass('"${schema}".runs')`), [[null]]);
    assert.equal(await addOne(url, schema), 2n);
    await Promise.all(Array.from({ length: 4 }, () => runSql(url, migrationSql(schema, SECOND))));
    for (const [table, count] of [["runs", "1"], ["pets", "2"]]) {
      assert.deepEqual(await read(`count(*) FROM "${schema}".${table}`), [[count]]);
    }
    await assertRefused(url, schema, /has version 2, but this release supports versions up to 1/);
    assert.deepEqual(await read(`version FROM "${schema}".schema_version`), [["2"]]);
  },
);

/** Tables schema_version that are not ours. */
const FOREIGN = [
  "(installed_rank integer, version text); INSERT INTO {} VALUES (1, '1.0')",
  "(version text); INSERT INTO {} VALUES ('1')",
  "(version integer); INSERT INTO {} VALUES (2)",
  "(version integer)",
];

test.schema("a foreign, empty or damaged table schema_version is refused and left unchanged", async (url, schema) => {
  const versions = `"${schema}".schema_version`;
  const content = () => runSql(url, `SELECT version::text FROM ${versions}`);
  await runSql(url, `CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".pets (nothing integer)`);
  await assertRefused(url, schema, /lacks schema_version, requests, pet_ids, so another .*; it was left unchanged/);
  await runSql(url, `DROP TABLE "${schema}".pets`);
  for (const make of FOREIGN) {
    await runSql(url, `CREATE TABLE ${versions} ${make.replace("{}", versions)}`);
    const before = await content();
    await assertRefused(url, schema, /lacks pets, requests, pet_ids, so another .*; it was left unchanged/);
    assert.deepEqual(await content(), before);
    assert.deepEqual(await runSql(url, `SELECT to_regclass('"${schema}".pets')`), [[null]]);
    await runSql(url, `DROP TABLE ${versions}`);
  }
  await runSql(url, postgresSchema(schema));
  for (const damage of ["DELETE FROM {}", "INSERT INTO {} VALUES (0)", "INSERT INTO {} VALUES (2)"]) {
    await runSql(url, damage.replace("{}", versions));
    const before = await content();
    await assertRefused(url, schema, /must have one row .*, a version of 1 or more, not (none|0|2 and \d|\d and 2);/);
    // The SQL for administrators refuses it too.
    await assert.rejects(runSql(url, postgresSchema(schema)), /does not hold the version of a petstore/);
    assert.deepEqual(await content(), before);
  }
});

test.schema(
  "a role that may not create tables uses those of an administrator",
  (url, schema) =>
    withRole(url, `role_${schema}`, async (roleUrl) => {
      const role = `"role_${schema}"`;
      const advice = /this role lacks the privilege; have an administrator apply the SQL of postgresSchema\(\) and/;
      await assertRefused(roleUrl, schema, advice);
      // By default each role may run functions; an administrator may have revoked that.
      await runSql(
        url,
        `ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ${postgresSchema(schema)}
       ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC`,
      );
      await assertRefused(roleUrl, schema, /role lacks privileges .*denied for schema.* postgresGrants\(\)/);
      const grants = postgresGrants(role, schema);
      await runSql(url, grants.replace(/GRANT EXECUTE .*/g, "").replace("GRANT SELECT, UPDATE ON SEQUENCE", "-- "));
      for (const lacking of ["SELECT on forgotten_until", "UPDATE on forgotten_until", "EXECUTE on add_pets"]) {
        await assertRefused(roleUrl, schema, new RegExp(`\\(.*${lacking}.*\\)`));
      }
      // A read-only role needs no more privileges.
      await runSql(url, `ALTER ROLE ${role} SET default_transaction_read_only = on`);
      await withPool(roleUrl, async (client) => (await createPostgresStore(client, { schema })).check());
      await runSql(url, `ALTER ROLE ${role} RESET default_transaction_read_only; ${grants}`);
      await addOne(roleUrl, schema);
      assert.deepEqual(await runSql(roleUrl, forgetCall(schema, 10)), [["0"]]);
    }),
);

test.schema(
  "a create waits for the disk and a deletion does not, whatever the role's settings",
  async (url, schema) => {
    await runSql(url, postgresSchema(schema));
    const add = `SELECT "${schema}".add_pets('{Rex}', '{7}', '{1}', '{}', '{}', '{}')`;
    for (const [call, setting] of [[add, "on"], [forgetCall(schema, 1), "off"]] as const) {
      for (const given of ["on", "off"]) {
        const rows = await runSql(url, `SET synchronous_commit = ${given}; BEGIN; ${call}; SHOW synchronous_commit`);
        assert.equal(rows.flat().at(-1), setting);
      }
    }
  },
);

test.schema("a database that is not in UTF-8 is refused", async (url, schema) => {
  await runSql(url, `CREATE DATABASE "${schema}" ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`);
  try {
    const latin = Object.assign(new URL(url), { pathname: `/${schema}` }).href;
    await assertRefused(latin, schema, /encoding LATIN1, but names need UTF8/);
  } finally {
    await runSql(url, `DROP DATABASE "${schema}" WITH (FORCE)`);
  }
});

test("invalid pools, schemas, timeouts and unknown options are refused", async () => {
  const client = { connect: () => ({}), totalCount: 0 } as never;
  const cases: [invalid: () => Promise<unknown>, message: RegExp][] = [
    [
      () => createPostgresStore({} as never),
      /^A PostgreSQL store takes a Pool of node-postgres \(pg\), not another object$/,
    ],
    [() => createPostgresStore("postgres://localhost/pets" as never), /, not a string$/],
    [() => createPostgresStore((() => client) as never), /, not a function$/],
    [() => createPostgresStore(undefined as never), /, not undefined$/],
    [() => createPostgresStore({ query() {}, connect() {}, processID: 1 } as never), /not a Client$/],
    [() => createPostgresStore(client, { schema: 'a"; DROP' }), /lower-case .*, such as petstore, not "a\\"; DROP"$/],
    [
      () => createPostgresStore(client, { timeout: 500 } as never),
      /^Unknown option timeout; the options are schema, timeoutMs, prepare$/,
    ],
  ];
  for (const [invalid, message] of cases) await assert.rejects(invalid, { name: "TypeError", message });
  for (const timeoutMs of [0, NaN]) {
    const message = `Option timeoutMs must be a whole number from 1 to 2147483647, not ${timeoutMs}`;
    await assert.rejects(createPostgresStore(client, { timeoutMs }), { name: "RangeError", message });
  }
  assert.throws(() => postgresSchema("Pets"), TypeError);
});

test.store("the keys are read again when another program changes them by hand", async (store, url, schema) => {
  const { keys } = store as KeyedPetStore;
  await keys.add(keyOf("a"));
  const { version } = await keys.listSince!("");
  await store.create(PET);
  assert.deepEqual(await keys.listSince!(version), { version });
  await runSql(url, `UPDATE "${schema}".api_keys SET caller = 'b'`);
  assert.deepEqual((await keys.listSince!(version)).keys?.map(({ caller }) => caller), ["b"]);
});

test.schema(
  "a sequence that does not give ids in order is refused at the start, and at each create",
  async (url, schema) => {
    await usingStore(url, schema, async (store) => {
      assert.equal(await store.create(PET), 1n);
      for (const change of ["CACHE 50", "INCREMENT 2", "CYCLE"]) {
        await runSql(url, `ALTER SEQUENCE "${schema}".pet_ids ${change}`);
        await assertRefused(
          url,
          schema,
          /pet_ids was altered, and would not give ids in order; correct it with ALTER SEQUENCE/,
        );
        await assert.rejects(async () => await store.create(PET), StoreUnavailableError, change);
        await runSql(url, `ALTER SEQUENCE "${schema}".pet_ids INCREMENT 1 CACHE 1 NO CYCLE`);
      }
      assert.equal(await store.create(PET), 2n);
    });
  },
);

test.schema("after the last id, creates are refused as unavailable, and reads go on", async (url, schema) => {
  await usingStore(url, schema, async (store) => {
    await store.create(PET);
    await runSql(url, `SELECT setval('"${schema}".pet_ids', ${Number.MAX_SAFE_INTEGER})`);
    await assert.rejects(async () => await store.create(PET), StoreUnavailableError);
    assert.notEqual(await store.get(1n), undefined);
  });
});
