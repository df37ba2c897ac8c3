/** A PostgreSQL schema that is older than this release, or that was restored by half. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPostgresStore, postgresSchema } from "../../lib/stores/postgres/postgres_store.ts";
import { DRIVERS, runSql, whyNoPostgres, withSchema } from "../support/postgres/postgres.ts";
import { createAsVersion1, postgresVersion1 } from "./version_1.ts";

const skip = whyNoPostgres();
const why = skip ? ` (skipped: ${skip})` : "";
const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

test(
  `a sequence that is behind its table is told of, at a start and at a create, and no id is used up${why}`,
  { skip },
  () =>
    withSchema((url, schema) =>
      DRIVERS[0]!.use(url, async (client) => {
        const store = await createPostgresStore(client, { schema });
        const request = { key: "k".repeat(22), fingerprint: "f".repeat(22), retentionMs: 60_000 };
        assert.equal(await store.create(PET), 1n);
        // As after a restore of the table alone.
        await runSql(url, `INSERT INTO "${schema}".pets SELECT i, 7, 1, 'Rex' FROM generate_series(50, 90) AS i`);
        const last = () => runSql(url, `SELECT last_value FROM "${schema}".pet_ids`);
        const told = {
          name: "StoreUnavailableError",
          message:
            /pet_ids is behind its table: it would give the id 2 next, and there is a pet 90; set it by SELECT setval/,
        };
        for (const create of [() => store.create(PET), () => store.createOnce!(PET, request)]) {
          await assert.rejects(async () => await create(), told);
        }
        await assert.rejects(createPostgresStore(client, { schema }), told);
        assert.deepEqual(await last(), [["1"]]);
        assert.match(await store.get(90n) ?? "", /"id":90/);
        // What the message says is the cure.
        await runSql(url, `SELECT setval('"${schema}".pet_ids', 90)`);
        assert.deepEqual(await store.createOnce!(PET, request), { outcome: "created", id: 91n });
        await store.close();
      })
    ),
);

test(
  `a schema of version 1 is brought up to date, and servers of that version that still run go on${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      await runSql(url, postgresVersion1(schema));
      const now = Date.now(), day = 86_400_000;
      const [old, other] = ["o".repeat(22), "p".repeat(22)];
      const asOld = async (key: string, clock: number) =>
        (await runSql(url, createAsVersion1(schema, key, clock)))[0]?.[0];
      assert.equal(await asOld(old, now), "1");
      await DRIVERS[0]!.use(url, async (client) => {
        const store = await createPostgresStore(client, { schema });
        const request = { fingerprint: "f".repeat(22), retentionMs: day };
        // What was remembered is remembered, and each hears of what the other does.
        assert.deepEqual(await store.createOnce!(PET, { key: old, ...request }), { outcome: "replayed", id: 1n });
        assert.deepEqual(await store.createOnce!(PET, { key: other, ...request }), { outcome: "created", id: 2n });
        assert.equal(await asOld(other, now), "-2");
        // Even with its clock days ahead.
        assert.equal(await asOld(other, now + 3 * day), "-2");
        assert.equal(await asOld("q".repeat(22), now + 3 * day), "3");
        assert.deepEqual(await store.createOnce!(PET, { key: "q".repeat(22), ...request }), {
          outcome: "replayed",
          id: 3n,
        });
        await store.close();
      });
      const [[ends] = []] = await runSql(url, `SELECT max(expires_at) FROM "${schema}".requests`);
      assert.ok(Number(ends) < now + 2 * day);
      assert.deepEqual(await runSql(url, `SELECT version FROM "${schema}".schema_version`), [["2"]]);
    }),
);

test(
  `a server of version 1 whose role is not the owner adds pets after the upgrade, before it has new privileges${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      const role = `role_${schema}`;
      await runSql(url, postgresVersion1(schema));
      // What version 1 asked for.
      await runSql(
        url,
        `CREATE ROLE "${role}" LOGIN PASSWORD 'pw'; GRANT USAGE ON SCHEMA "${schema}" TO "${role}";
         GRANT SELECT, INSERT ON "${schema}".pets TO "${role}";
         GRANT SELECT, INSERT, UPDATE, DELETE ON "${schema}".requests TO "${role}";
         GRANT USAGE ON SEQUENCE "${schema}".pet_ids TO "${role}"`,
      );
      try {
        await runSql(url, postgresSchema(schema));
        const asRole = Object.assign(new URL(url), { username: role, password: "pw" }).href;
        assert.deepEqual(await runSql(asRole, createAsVersion1(schema, "k".repeat(22), Date.now())), [["1"]]);
      } finally {
        await runSql(url, `DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
      }
    }),
);
