/** The tables of the D1 store: how they are made, and which are refused. */

import assert from "node:assert/strict";
import { createD1Store } from "@petstore/edge/d1";
import { formatPet, type PetDraft, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { storeScript } from "./support/bundle.ts";
import { remoteStore } from "./support/remote_store.ts";
import { testD1, testWorkers, Workers } from "./support/workerd.ts";

const PET: PetDraft = { name: "Rex", categoryId: 7n, status: "available" };

testWorkers(
  "two Workers that use an empty database at once make its tables once, and both serve, but no session",
  async () => {
    const databases = 8;
    await using workers = new Workers({ scripts: [await storeScript(), await storeScript()], databases });
    const origins = await workers.origins();
    for (let i = 0; i < databases; i++) {
      const stores = origins.map((origin) => remoteStore(`${origin}/d1/DB${i}/only`));
      const ids = await Promise.all([...stores, ...stores].map((store) => store.create(PET)));
      assert.deepEqual(ids.toSorted(), [1n, 2n, 3n, 4n]);
    }
    // A session may read from a replica.
    const session = remoteStore(`${origins[0]}/d1/DB0/session`);
    await assert.rejects(async () => await session.check(), { name: "TypeError", message: /not a session/ });
  },
);

testD1("the D1 store refuses tables of a later version", async (db) => {
  const running = createD1Store(db);
  await running.create(PET);

  await db.prepare("UPDATE petstore_schema SET version = 3").run();
  const refusal = (error: unknown) =>
    error instanceof StoreUnavailableError &&
    /^D1 has version 3 of the tables, and this program knows 1: use a later one$/.test(error.message);
  const late = createD1Store(db);
  await assert.rejects(async () => await late.check(), refusal);
  await assert.rejects(async () => await late.get(1n), refusal);
  // A Worker that was running before goes on reading, and writes nothing.
  assert.equal(await running.get(1n), formatPet({ id: 1n, ...PET }));
  const request = { key: "k".repeat(22), fingerprint: "f".repeat(22), retentionMs: 60_000 };
  await assert.rejects(async () => await running.create(PET), refusal);
  await assert.rejects(async () => await running.createOnce!(PET, request), refusal);
  await assert.rejects(async () => await running.checkWrites!(), refusal);
  const counts =
    "SELECT (SELECT count(*) FROM petstore_pets) AS pets, (SELECT count(*) FROM petstore_requests) AS requests";
  assert.deepEqual(await db.prepare(counts).first(), { pets: 1, requests: 0 });
});

testD1(
  "the D1 store is unavailable to a call that finds no tables, and makes them for the next",
  async (db) => {
    const store = createD1Store(db);
    await store.create(PET);
    const tables = ["schema", "pets", "requests", "keys"].map((name) => `DROP TABLE petstore_${name}`);
    await db.batch(tables.map((sql) => db.prepare(sql)));
    await assert.rejects(async () => await store.get(1n), StoreUnavailableError);
    assert.equal(await store.get(1n), undefined);
  },
);
