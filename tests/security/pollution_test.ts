/** Names of JavaScript's own objects, in a body, a query and a path: they are names like any other, and change no prototype. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore } from "../../mod.ts";

const { handle } = createPetstore({ keys: ["pk_test"] });

async function ask(path: string, body?: string): Promise<{ status: number; text: string }> {
  const headers = { authorization: "Bearer pk_test", "content-type": "application/json" };
  const init = body === undefined ? { headers } : { method: "POST", headers, body };
  const response = await handle(new Request(`http://localhost/v1${path}`, init));
  return { status: response.status, text: await response.text() };
}

test("members of a body with the names of a prototype are ignored, and give no pet a member", async () => {
  for (const name of ["__proto__", "constructor", "prototype", "toString"]) {
    const { status, text } = await ask("/pets", `{"name":"a","categoryId":7,"${name}":{"status":"sold","polluted":1}}`);
    assert.equal(status, 201, name);
    assert.match(text, /^\{"id":\d+,"name":"a","categoryId":7,"status":"available"\}$/);
    assert.equal("polluted" in {}, false, name);
  }
  const inside = '{"__proto__":{"name":"a","categoryId":7}}';
  assert.match((await ask("/pets", inside)).text, /name.*categoryId/);
  for (const body of [`[${inside}]`, `{"__proto__":null}`, `{"__proto__":[]}`]) {
    assert.equal((await ask("/pets", body)).status, 400, body);
  }
});

test("parameters and paths with the names of a prototype have no effect", async () => {
  const plain = await ask("/pets");
  for (const name of ["__proto__", "constructor", "hasOwnProperty", "__proto__.limit", "__proto__[limit]"]) {
    assert.deepEqual(await ask(`/pets?${name}=1`), plain, name);
    assert.equal((await ask(`/${name}`)).status, 404);
    assert.equal((await ask(`/pets/${name}`)).status, 404);
    assert.equal((await ask(`/pets?status=${name}`)).status, 400);
  }
});
