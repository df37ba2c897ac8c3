/** The stores of `@petstore/edge/d1` on the databases of workerd, and the Workers that docs/hosts.md shows. */

import assert from "node:assert/strict";
import { createD1Store, type D1Binding } from "@petstore/edge/d1";
import { storeCases, type StoreFixture } from "../../../packages/conformance/mod.ts";
import { draft } from "../../../packages/conformance/lib/store/case.ts";
import { bundle, stopBundler } from "./support/bundle.ts";
import { APP_KEY, APP_KEYS, LATE_REFUSAL, testMount } from "./support/mounts.ts";
import { testD1 } from "./support/d1_database.ts";
import { testWorkers, Workers } from "./support/workerd.ts";

const TABLES = ["schema", "pets", "requests", "keys"];

async function dropTables(db: D1Binding): Promise<void> {
  await db.batch(TABLES.map((name) => db.prepare(`DROP TABLE IF EXISTS petstore_${name}`)));
}

testD1("a D1 store keeps the contract in two Workers", async (databases, context) => {
  let opened = 0;
  // A case has one namespace.
  const fixture: StoreFixture = {
    sharing: "machines",
    open: () => createD1Store(databases[opened++ % 2]!),
    remove: () => dropTables(databases[0]!),
  };
  for (const { name, skip, run } of await storeCases(fixture)) {
    await context.test(`a D1 store ${name}${skip ? ` (skipped: ${skip})` : ""}`, { skip }, run);
  }
});

testD1("two Workers that use an empty database at once make its tables once, and both serve", async (databases) => {
  for (let round = 0; round < 8; round++) {
    const stores = databases.map((db) => createD1Store(db));
    const ids = await Promise.all([...stores, ...stores].map((store) => store.create(draft())));
    assert.deepEqual(ids.toSorted(), [1n, 2n, 3n, 4n]);
    await dropTables(databases[0]!);
  }
});

for (const [title, kind] of [["a D1 store", "d1"], ["a Durable Object's store", "object"]]) {
  testWorkers(`a Worker has a petstore with ${title} beside its own route`, async () => {
    const scripts = [await bundle(`workers/${kind}/worker.ts`)];
    await stopBundler();
    await using workers = new Workers({ scripts, bindings: { PETSTORE_KEYS: APP_KEYS } });
    const [origin] = await workers.origins();
    await testMount(origin!, { sometimes: [LATE_REFUSAL] });
  });
}

testWorkers("a create whose object is reset gets 503, and adds one pet when it is repeated", async () => {
  const scripts = [await bundle("support/reset_object.ts")];
  await stopBundler();
  await using workers = new Workers({ scripts, bindings: { PETSTORE_KEYS: APP_KEY } });
  const [origin] = await workers.origins();
  const ask = (init: RequestInit, headers: Record<string, string> = {}) =>
    fetch(`${origin}/v1/pets`, { ...init, headers: { authorization: `Bearer ${APP_KEY}`, ...headers } });
  for (const reset of ["before", "after"]) {
    const body = new TextEncoder().encode(JSON.stringify({ name: reset, categoryId: 7 }));
    const create = (headers: Record<string, string>) =>
      ask({ method: "POST", body }, { "idempotency-key": reset, ...headers });
    const response = await create({ reset });
    const { message, ...error } = await response.json();
    assert.deepEqual(error, { code: "store_unavailable", status: 503 });
    assert.match(message, /may have been stored/);
    assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "5"]);
    const repeated = await create({});
    assert.deepEqual([repeated.status, (await repeated.json()).name], [201, reset]);
  }
  const pets: { name: string }[] = await (await ask({})).json();
  assert.deepEqual(pets.map(({ name }) => name), ["before", "after"]);
});
