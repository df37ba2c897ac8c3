/** The HTTP contract without a socket, and a check that tests have seen the description's error examples. */

import { openApiOf } from "../support/descriptions.ts";
import assert from "node:assert/strict";
import test from "node:test";
import { createMemoryStore } from "../../mod.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { OPERATIONS } from "../../lib/operations/table.ts";
import { IN_PROCESS, seenErrors, seenResponses, withApi } from "../support/api.ts";
import { STORE_KINDS } from "../support/stores.ts";
import { testHttpContract } from "./contracts.ts";

testHttpContract(IN_PROCESS, STORE_KINDS);

test("the store gets a key and a fingerprint of 22 characters for a request, whatever was sent", async () => {
  const store = createMemoryStore(), seen: string[] = [];
  store.createOnce = (_, { key, fingerprint }) => {
    seen.push(key, fingerprint);
    return { outcome: "conflict" };
  };
  await withApi(IN_PROCESS, { store }, async (api) => {
    await api.post({ name: "Rex", categoryId: 7 }, { headers: { "idempotency-key": "1" } });
  });
  assert.equal(new Set(seen).size, 2);
  for (const text of seen) assert.match(text, /^[\w-]{22}$/);
});

test("every error example of the description is a response that a test has seen", () => {
  const examples = JSON.stringify(openApiOf({ bodyTimeoutMs: 20 })).match(/\{"code":"[^{}]*\}/g) ?? [];
  assert.ok(examples.length > 12);
  for (const example of examples) assert.ok(seenErrors.has(example), `No test has seen ${example}`);
});

test("a store and an app that throw in all their functions, whatever they throw, get described responses from every operation", async () => {
  for (const failure of [new StoreUnavailableError("down"), new TypeError("broken"), undefined]) {
    const fail = () => {
      throw failure;
    };
    const store = { create: fail, createOnce: fail, get: fail, list: fail, check: fail, close: fail };
    await withApi(IN_PROCESS, { store, handleStoreOrders: fail, onError: () => {} }, async (api) => {
      for (const { method, path, effect } of OPERATIONS) {
        const target = path.replace(/\{\w+\}$/, "1");
        const headers = { "content-type": "application/json", "idempotency-key": "one" };
        const parts = effect === "reads" ? {} : { body: '{"name":"Rex","categoryId":7}', headers };
        const { status } = await api.send(method, target, parts);
        assert.ok([500, 503].includes(status), `${method} ${path}: ${status}`);
      }
    });
  }
});

test("every operation is answered by a case with each status that its description names", () => {
  const { paths } = openApiOf({ deprecation: { gone: true } }) as unknown as {
    paths: Record<string, Record<string, Shown>>;
  };
  type Shown = { operationId: string; responses: Record<string, unknown> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  assert.equal(operations.length, OPERATIONS.length);
  const described = operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`)
  );
  assert.deepEqual(described.filter((each) => !seenResponses.has(each)), []);
});
