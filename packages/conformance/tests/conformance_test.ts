/** The cases for a server that is known by its address: petstores pass them, and wrong servers fail the case that says so. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { conformanceCases, type Handle } from "../mod.ts";
import { createPetstore } from "../../../mod.ts";
import { KEY } from "../../../tests/support/api.ts";
import { changed, newPetstore, runCases } from "../../../tests/support/conformance.ts";
import { BODY_MISTAKES } from "./heavy/mistakes/pets.ts";

const AUTHORIZED = { authorization: `Bearer ${KEY}` };

test("conformanceCases() pass on a petstore without pets, and then with them, and name each pet that they add", async () => {
  const fetch = newPetstore();
  let pets = 0;
  for (const round of [1, 2]) {
    const ids = new Set<bigint | undefined>();
    const { passed, failed } = await runCases({ fetch, onCreate: (id) => ids.add(id) });
    assert.deepEqual(failed, [], `round ${round}`);
    assert.ok(passed.length > 40);
    assert.deepEqual([...ids], Array.from(ids, (_, i) => BigInt(pets + i + 1)));
    const next = pets + ids.size + 1;
    // Each is told as one that is left.
    for (const id of [...ids, next]) {
      const { status } = await fetch(new Request(`https://petstore.example/v1/pets/${id}`, { headers: AUTHORIZED }));
      assert.equal(status, id === next ? 404 : 200, `pet ${id}`);
    }
    pets += ids.size;
  }
});

test("conformanceCases() take a base address at the root, and refuse what is no base address, and a key that cannot be sent", async () => {
  const { handle } = createPetstore({ keys: [KEY], basePath: "" });
  const fetch: Handle = async (request) => await handle(request);
  assert.deepEqual((await runCases({ fetch, baseUrl: "https://petstore.example" })).failed, []);
  for (const baseUrl of ["petstore.example/v1", "ftp://petstore.example", "http://petstore.example/?a=1"]) {
    assert.throws(() => conformanceCases({ baseUrl, key: KEY }), TypeError, baseUrl);
  }
  for (const key of ["", "a b"]) {
    assert.throws(() => conformanceCases({ baseUrl: "https://petstore.example", key }), TypeError, key);
  }
});

const takesEveryKey = changed(() => {}, (request) => {
  const headers = new Headers(request.headers);
  if (headers.has("authorization")) headers.set("authorization", `Bearer ${KEY}`);
  return new Request(request, { headers });
});

test("of the specification's cases, a server that takes every key fails those that say so, with the promise and the exchange", async () => {
  const { failed, errors } = await runCases({ fetch: takesEveryKey }, "specification");
  assert.deepEqual(failed, ["shows and stores nothing without the right key, in any form"]);
  for (const { promise, reason, exchange, message } of errors) {
    assert.match(promise, /^\d(\.\d)?: /);
    assert.match(exchange, /^> (GET|POST) \/v1\/pets/);
    assert.match(exchange, /^< \d{3}$/m);
    assert.ok(message.includes(promise) && message.includes(reason) && message.includes(exchange));
    assert.ok(!message.includes(KEY));
  }
});

test("a server that takes what is no pet fails the same cases in a second run, whatever the first has left", async () => {
  const fetch = Object.values(BODY_MISTAKES).reduce((petstore, plant) => plant(petstore), newPetstore());
  const [first, second] = [await runCases({ fetch }), await runCases({ fetch })];
  assert.ok(first.failed.length > 0);
  assert.deepEqual(second.failed, first.failed);
});

test("a petstore whose messages, links, methods, lengths and realm are written in other ways passes all cases", async () => {
  const fetch = changed((response, { method }) => {
    const { headers, status } = response;
    if (status >= 400 && method !== "HEAD") {
      response.text = JSON.stringify({ ...JSON.parse(response.text), message: "status, categoryId, name" });
    }
    const challenge = headers.get("www-authenticate");
    if (challenge) headers.set("www-authenticate", challenge.replace("petstore", "animals"));
    const [link, allow] = ["link", "allow"].map((name) => headers.get(name));
    if (link) headers.set("link", link.replace(/limit=(\d+)(.*?)&cursor=([^>]+)/, "cursor=$3.$2&limit=$1"));
    if (allow) headers.set("allow", allow.split(", ").reverse().join(","));
    headers.delete("content-length");
  }, (request) => new Request(request.url.replace(/(cursor=[^&]+)\.(&|$)/, "$1$2"), request));
  assert.deepEqual((await runCases({ fetch })).failed, []);
});
