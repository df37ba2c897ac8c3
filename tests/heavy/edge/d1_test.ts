/** The stores of `@petstore/edge/d1` in Workers, run by workerd, and the Workers that docs/hosts.md shows. */

import assert from "node:assert/strict";
import { storeCases } from "../../../packages/conformance/mod.ts";
import { bundle, stopBundler } from "./support/bundle.ts";
import { APP_KEYS, useMount } from "./support/mounts.ts";
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

testWorkers("the settings that docs/hosts.md shows name what the Workers use", () => {
  assert.deepEqual(ofD1.d1_databases.map(({ binding }) => binding), ["DB"]);
  assert.deepEqual(ofObject.durable_objects.bindings, [{ name: "PETS", class_name: "PetsObject" }]);
  assert.deepEqual(ofObject.migrations[0]?.new_sqlite_classes, ["PetsObject"]);
  for (const { compatibility_date } of [ofD1, ofObject]) assert.equal(compatibility_date, COMPATIBILITY_DATE);
});
