import assert from "node:assert/strict";
import { listPostgresKeys } from "../../lib/stores/postgres/check.ts";
import { createPostgresStore } from "../../lib/stores/postgres/postgres_store.ts";
import { MIGRATIONS } from "../../lib/stores/postgres/schema/tables.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { assertRemembered, looksUpEarlier, POSTGRES_DUMPS } from "../support/earlier/earlier.ts";
import { DRIVERS, runSql } from "../support/postgres/postgres.ts";
import { DAY, PET, request, restoreEarlier, test, usingStore, withRole } from "./support.ts";
import { withClock } from "../../lib/testing/clock.ts";

test.store(
  "a sequence behind its table is reported at starts and creates, and no id is lost",
  async (store, url, schema) => {
    assert.equal(await store.create(PET), 1n);
    // As after a restore of the table alone.
    await runSql(url, `INSERT INTO "${schema}".pets SELECT i, 7, 1, 'Rex' FROM generate_series(50, 90) AS i`);
    const reported = {
      name: "StoreUnavailableError",
      message:
        /pet_ids is behind its table: the next id would be 2, but there is a pet 90; correct it with SELECT setval/,
    };
    for (const create of [() => store.create(PET), () => store.createOnce!(PET, request("a"))]) {
      await assert.rejects(async () => await create(), reported);
    }
    await DRIVERS[0]!.use(url, (client) => assert.rejects(createPostgresStore(client, { schema }), reported));
    assert.deepEqual(await runSql(url, `SELECT last_value FROM "${schema}".pet_ids`), [["1"]]);
    assert.match(await store.get(90n) ?? "", /"id":90/);
    // The remedy in the message works.
    await runSql(url, `SELECT setval('"${schema}".pet_ids', 90)`);
    assert.deepEqual(await store.createOnce!(PET, request("a")), { outcome: "created", id: 91n });
  },
);

for (const each of POSTGRES_DUMPS) {
  test.schema(
    `a request that ${each.file} remembers gets its pet again, after the upgrade and each later start`,
    async (url, schema) => {
      await restoreEarlier(url, schema, each.file);
      for (let start = 0; start < 2; start++) {
        await usingStore(DRIVERS[0]!, url, schema, (store) => assertRemembered(store, each));
      }
      await runSql(url, `UPDATE "${schema}".requests SET expires_at = 1`);
      const looksUp = (store: PetStore) => Promise.resolve(looksUpEarlier(store));
      assert.equal(await usingStore(DRIVERS[0]!, url, schema, looksUp), false);
    },
  );
}

test.schema(
  "a retry finds the request of a server that has not been upgraded yet, although none was remembered at the upgrade",
  async (url, schema) => {
    await restoreEarlier(url, schema, "postgres_1.sql");
    const [[request] = []] = await runSql(url, `SELECT key || ',' || fingerprint FROM "${schema}".requests`);
    await runSql(url, `DELETE FROM "${schema}".requests; DELETE FROM "${schema}".pets`);
    await usingStore(DRIVERS[0]!, url, schema, () => Promise.resolve());
    const [key = "", fingerprint = ""] = request!.split(",");
    await runSql(url, `SELECT setval('"${schema}".pet_ids', 1, false)`);
    assert.deepEqual(await runSql(url, createAsVersion1(schema, key, Date.now(), fingerprint)), [["1"]]);
    await usingStore(DRIVERS[0]!, url, schema, (store) => assertRemembered(store, POSTGRES_DUMPS[0]!));
  },
);

test.schema("a server whose clock is days ahead finds the requests of the earlier release", async (url, schema) => {
  const earlier = POSTGRES_DUMPS[1]!;
  await restoreEarlier(url, schema, earlier.file);
  await runSql(url, `UPDATE "${schema}".requests SET expires_at = ${Date.now() + DAY}`);
  await withClock(30 * DAY, () => usingStore(DRIVERS[0]!, url, schema, (store) => assertRemembered(store, earlier)));
});

for (const { file } of POSTGRES_DUMPS) {
  test.schema(`the keys of ${file} are listed without a migration`, async (url, schema) => {
    await restoreEarlier(url, schema, file);
    const version = () => runSql(url, `SELECT version FROM "${schema}".schema_version`);
    const before = await version();
    assert.deepEqual(await listPostgresKeys(() => DRIVERS[0]!.connect(url), { schema }), []);
    assert.deepEqual(await version(), before);
  });
}

/** A create with a key, as a server of version 1 with this clock sends it. */
function createAsVersion1(schema: string, key: string, now: number, fingerprint = "f".repeat(22)): string {
  return `SELECT "${schema}".add_pets('{Rex}'::text[], '{7}'::bigint[], '{2}'::smallint[], '{${key}}'::text[],
    '{${fingerprint}}'::text[], '{${now + DAY}}'::bigint[], ${now}::bigint)`;
}

/** What a role needed in version 1. */
function grantsOfVersion1(schema: string, role: string): string {
  return `GRANT USAGE ON SCHEMA "${schema}" TO ${role};
    GRANT SELECT, INSERT ON "${schema}".pets TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON "${schema}".requests TO ${role};
    GRANT USAGE ON SEQUENCE "${schema}".pet_ids TO ${role}`;
}

test.schema(
  "a schema of version 1 is migrated, and running servers of that version continue with their privileges",
  (url, schema) =>
    withRole(url, `role_${schema}`, async (roleUrl) => {
      await restoreEarlier(url, schema, "postgres_1.sql");
      await runSql(url, grantsOfVersion1(schema, `"role_${schema}"`));
      const now = Date.now();
      const [old, other, late] = [request("old", "f", DAY), request("other", "f", DAY), request("late", "f", DAY)];
      const asOld = async (key: string, clock: number) =>
        (await runSql(roleUrl, createAsVersion1(schema, key, clock)))[0]?.[0];
      assert.equal(await asOld(old.key, now), "2");
      await usingStore(DRIVERS[0]!, url, schema, async (store) => {
        // Remembered requests stay remembered, and each server sees the other's.
        assert.deepEqual(await store.createOnce!(PET, old), { outcome: "replayed", id: 2n });
        assert.deepEqual(await store.createOnce!(PET, other), { outcome: "created", id: 3n });
        assert.equal(await asOld(other.key, now), "-3");
        // Even if the clock of the old server is days ahead.
        assert.equal(await asOld(other.key, now + 3 * DAY), "-3");
        assert.equal(await asOld(late.key, now + 3 * DAY), "4");
        assert.deepEqual(await store.createOnce!(PET, late), { outcome: "replayed", id: 4n });
      });
      const [[ends] = []] = await runSql(url, `SELECT max(expires_at) FROM "${schema}".requests WHERE pet_id > 1`);
      assert.ok(Number(ends) < now + 2 * DAY);
      assert.deepEqual(await runSql(url, `SELECT version FROM "${schema}".schema_version`), [[
        String(MIGRATIONS.length),
      ]]);
    }),
);
