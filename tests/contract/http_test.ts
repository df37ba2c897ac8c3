/** The HTTP contract without a socket, and a check that tests have seen the description's error examples. */

import { openApiOf } from "../support/descriptions.ts";
import assert from "node:assert/strict";
import test from "node:test";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { createMemoryStore, StoreUnavailableError } from "../../mod.ts";
import { IN_PROCESS, seenErrors, withApi } from "../support/api.ts";
import { STORE_KINDS } from "../support/stores.ts";
import { testHttpContract } from "./contracts.ts";

testHttpContract(IN_PROCESS, STORE_KINDS);

test("the petstore answers 503 with Retry-After to requests that need an unavailable store, and still answers the others", async () => {
  const store = createSqliteStore(":memory:");
  await store.close();
  const errors: unknown[] = [];
  await withApi(IN_PROCESS, { store, onError: ({ error }) => errors.push(error) }, async (api) => {
    const responses = [
      await api.get("/pets"),
      await api.get("/pets/1"),
      await api.post({ name: "Rex", categoryId: 7 }),
    ];
    for (const { status, headers, error } of responses) {
      assert.deepEqual([status, error.code, headers.get("retry-after")], [503, "store_unavailable", "5"]);
    }
    assert.equal((await api.get("/pets?limit=0")).status, 400);
  });
  assert.equal(errors.length, 3);
  assert.ok(errors.every((error) => error instanceof StoreUnavailableError));
});

test("the store gets a key and a fingerprint of 22 characters for a request, whatever was sent", async () => {
  const store = createMemoryStore();
  const createOnce = store.createOnce!.bind(store);
  const seen: string[] = [];
  store.createOnce = (pet, request) => {
    seen.push(request.key, request.fingerprint);
    return createOnce(pet, request);
  };
  await withApi(IN_PROCESS, { store }, async (api) => {
    for (let i = 0; i < 50; i++) {
      await api.post({ name: "Rex", categoryId: i }, { headers: { "idempotency-key": `${i}` } });
    }
  });
  assert.equal(new Set(seen).size, 100);
  for (const text of seen) assert.match(text, /^[\w-]{22}$/);
});

test("the petstore refuses a large body while too many others are in flight, and accepts one when they have ended", async () => {
  await withApi(IN_PROCESS, { bodyTimeoutMs: 50 }, async (api) => {
    const large = new Uint8Array(1_048_576).fill(0x20);
    const stalled = () => new ReadableStream({ start: (controller) => controller.enqueue(large) });
    const pending = Array.from({ length: 65 }, () => api.send("POST", "/pets", { body: stalled() }));
    // The petstore admits bodies in order, so the last one exceeds the limit.
    const { status, error, headers } = await api.send("POST", "/pets", { body: stalled() });
    assert.deepEqual([status, error.code, headers.get("retry-after")], [503, "overloaded", "1"]);
    assert.equal((await api.post({ name: "Rex", categoryId: 7 })).status, 201);
    for (const response of await Promise.all(pending)) assert.equal(response.status, 408);
    assert.equal((await api.post(`{"name":"Rex","categoryId":7${" ".repeat(1_000_000)}}`)).status, 201);
  });
});

// Not in the contract: some clients and servers refuse such a request themselves.
test("the petstore answers 501 to a transfer coding besides chunked", async () => {
  await withApi(IN_PROCESS, {}, async (api) => {
    for (const coding of ["gzip, chunked", "gzip"]) {
      const body = new Blob(['{"name":"Rex","categoryId":7}']).stream();
      const { status, error } = await api.send("POST", "/pets", { body, headers: { "transfer-encoding": coding } });
      assert.deepEqual([status, error.code], [501, "not_implemented"]);
    }
  });
});

test("a body that arrives after its 408 creates no pet", async () => {
  for (const announced of [true, false]) {
    await withApi(IN_PROCESS, { bodyTimeoutMs: 20 }, async (api) => {
      const bytes = new TextEncoder().encode('{"name":"Rex","categoryId":7}');
      const { promise, resolve } = Promise.withResolvers<void>();
      const body = new ReadableStream({
        async pull(controller) {
          await promise;
          controller.enqueue(bytes);
          controller.close();
        },
      });
      const headers = { ...(announced && { "content-length": String(bytes.length) }) };
      assert.equal((await api.send("POST", "/pets", { body, headers })).error.code, "request_timeout");
      resolve();
      // The body is read within a turn or two of the event loop.
      for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setTimeout(resolve));
      assert.equal((await api.get("/pets")).text, "[]");
    });
  }
});

test("every error example of the description is a response that a test has seen", () => {
  const examples = JSON.stringify(openApiOf({ bodyTimeoutMs: 50 })).match(/\{"code":"[^{}]*\}/g) ?? [];
  assert.ok(examples.length > 12);
  for (const example of examples) assert.ok(seenErrors.has(example), `No test has seen ${example}`);
});
