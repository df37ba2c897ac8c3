/** The stores of `@petstore/edge/d1` in Workers, run by workerd, and the Workers that docs/hosts.md shows. */

import assert from "node:assert/strict";
import { storeCases } from "../../../packages/conformance/mod.ts";
import { draft } from "../../../packages/conformance/lib/store/case.ts";
import { bundle, stopBundler, storeScript } from "./support/bundle.ts";
import { APP_KEYS, useMount } from "./support/mounts.ts";
import { remoteStore } from "./support/remote_store.ts";
import { startFixture, type StoreInWorkers } from "./support/worker_fixture.ts";
import { COMPATIBILITY_DATE, testWorkers, Workers } from "./support/workerd.ts";
import ofD1 from "./workers/d1/wrangler.json" with { type: "json" };
import ofObject from "./workers/object/wrangler.json" with { type: "json" };

const STORES: [title: string, kind: StoreInWorkers][] = [["a D1 store", "d1"], ["a Durable Object's store", "object"]];

for (const [title, kind] of STORES) {
  testWorkers(`${title} keeps the contract in two Workers`, async (context) => {
    await using fixture = await startFixture(kind);
    for (const { name, skip, run } of await storeCases(fixture)) {
      await context.test(`${title} ${name}`, { skip }, run);
    }
  });

  testWorkers(`a Worker has a petstore with ${title} beside its own route`, async () => {
    const scripts = [await bundle(`workers/${kind}/worker.ts`, { petstore: "../../../mod.ts" })];
    await stopBundler();
    await using workers = new Workers({ scripts, bindings: { PETSTORE_KEYS: APP_KEYS } });
    const [origin] = await workers.origins();
    await useMount("/v1", (path, init) => fetch(origin + path, init ?? {}));
  });
}

testWorkers(
  "two Workers that use an empty database at once make its tables once, and both serve, but no session",
  async () => {
    const databases = 8;
    await using workers = new Workers({ scripts: [await storeScript(), await storeScript()], databases });
    const origins = await workers.origins();
    for (let i = 0; i < databases; i++) {
      const stores = origins.map((origin) => remoteStore(`${origin}/d1/DB${i}/only`));
      const ids = await Promise.all([...stores, ...stores].map((store) => store.create(draft())));
      assert.deepEqual(ids.toSorted(), [1n, 2n, 3n, 4n]);
    }
    // A session may read from a replica.
    const session = remoteStore(`${origins[0]}/d1/DB0/session`);
    await assert.rejects(async () => await session.check(), { name: "TypeError", message: /not a session/ });
  },
);

testWorkers("the settings that docs/hosts.md shows name what the Workers use", () => {
  assert.deepEqual(ofD1.d1_databases.map(({ binding }) => binding), ["DB"]);
  assert.deepEqual(ofObject.durable_objects.bindings, [{ name: "PETS", class_name: "PetsObject" }]);
  assert.deepEqual(ofObject.migrations[0]?.new_sqlite_classes, ["PetsObject"]);
  for (const { compatibility_date } of [ofD1, ofObject]) assert.equal(compatibility_date, COMPATIBILITY_DATE);
});
