/** The Workers that docs/hosts.md shows, run by workerd, which miniflare starts. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { APP_KEY, testMount } from "./support/mounts.ts";
import { testWorkers } from "./support/workerd.ts";

const page = await readFile(new URL("../../../docs/hosts.md", import.meta.url), "utf8");
const [, oldest = ""] = /compatibility date of (\S+) or later/.exec(page) ?? [];

for (const kind of ["worker", "d1/worker", "object/worker"]) {
  for (const compatibilityDate of [undefined, oldest]) {
    testWorkers(
      `workers/${kind}.ts keeps the HTTP contract with the ${
        compatibilityDate ? "oldest" : "newest"
      } compatibility date`,
      `workers/${kind}.ts`,
      (origin) => testMount(origin),
      compatibilityDate,
    );
  }
}

testWorkers(
  "a petstore that is the default export is a Worker",
  "../hosts/programs/default_export.ts",
  async (origin) => {
    for (const [key, status] of [["wrong", 401], ["pk_example", 200]] as const) {
      const response = await fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
      await response.text();
      assert.equal(response.status, status);
    }
  },
);

testWorkers(
  "the response of an app is sent with its cookies at the oldest compatibility date",
  "support/orders.ts",
  async (origin) => {
    const response = await fetch(`${origin}/v1/store/orders`, { headers: { authorization: "Bearer pk_example" } });
    assert.deepEqual([response.headers.getSetCookie(), await response.text()], [["a=1", "b=2"], "[]"]);
  },
  oldest,
);

testWorkers(
  "a create whose object is reset gets 503, and adds one pet when it is repeated",
  "support/reset_object.ts",
  async (origin) => {
    const create = (reset: string) =>
      fetch(`${origin}/v1/pets`, {
        method: "POST",
        headers: { authorization: `Bearer ${APP_KEY}`, "idempotency-key": "one", reset },
        body: new TextEncoder().encode('{"name":"Rex","categoryId":7}'),
      });
    for (const when of ["before", "after"]) {
      const response = await create(when);
      const { code, message } = await response.json();
      assert.deepEqual([response.status, code, response.headers.get("retry-after")], [503, "store_unavailable", "5"]);
      assert.match(message, /may have been stored/);
    }
    const repeated = await create("never");
    assert.deepEqual([repeated.status, (await repeated.json()).id], [201, 1]);
  },
);
