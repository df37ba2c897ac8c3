/** What an app is told of requests. */

import assert from "node:assert/strict";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { createMemoryStore, type ErrorInfo, type ResponseInfo } from "../../../mod.ts";
import { assertResponse } from "../../../packages/conformance/lib/http/responses.ts";
import { KEY } from "../api.ts";
import type { OwnCase } from "./all.ts";

/** A store that is down for lists, does not know what became of creates, and has a fault in single pets. */
const store = Object.assign(createMemoryStore(), {
  get: () => Promise.reject(new Error("secret fault")),
  create: () => Promise.reject(new StoreUnavailableError("secret cut", { mayBeStored: true })),
  list: () => Promise.reject(new StoreUnavailableError("secret outage")),
});

const errors: ErrorInfo[] = [];
const onError = (info: ErrorInfo) => errors.push(info);

const responses: ResponseInfo[] = [];
const onResponse = (info: ResponseInfo) => responses.push(info);

/**
 * Requests, and what onResponse is told of them: the method, the route, the status or the error
 * code, the caller and the size.
 */
const REQUESTS: readonly [method: string, path: string, headers: Record<string, string>, told: string][] = [
  ["GET", "/pets/1", {}, "GET /v1/pets/{petId} 200 shop 58"],
  ["HEAD", "/pets/1", {}, "HEAD /v1/pets/{petId} 200 shop 0"],
  ["GET", "/pets/1", { "if-none-match": "*" }, "GET /v1/pets/{petId} 304 shop 0"],
  ["GET", "/pets?limit=0", {}, "GET /v1/pets invalid_limit shop "],
  ["GET", "/pets", { authorization: "Bearer wrong" }, "GET  invalid_api_key  "],
  // The app's own response has a length and an id.
  ["GET", "/store/orders", {}, "GET /v1/store/orders 200 shop 4"],
];

export const CALLBACK_CASES: readonly OwnCase[] = [
  {
    name: "answers 503 with Retry-After when the store is down, and 500 to another failure, and tells onError why",
    isLocal: true,
    options: { store, onError },
    async run(api) {
      errors.length = 0;
      const headers = { "x-request-id": "theirs" };
      const retry = { headers: { "retry-after": "5" } };
      const failed = { message: /^An internal error occurred$/, headers: { deprecation: "@1795132800" } };
      const list = await api.get("/pets", { headers });
      assertResponse(list, 503, "store_unavailable", { ...retry, message: /^(?!.*secret).*later/ });
      assertResponse(await api.get("/pets/1", { headers }), 500, "internal_error", failed);
      const created = await api.post({ name: "Zoë", categoryId: 7 }, { headers });
      assertResponse(created, 503, "store_unavailable", { ...retry, message: /^(?!.*secret).*may have been stored/ });
      const told = errors.map(({ error, request, requestId }) => {
        return [(error as Error).message, new URL(request.url).pathname, requestId];
      });
      assert.deepEqual(told, [
        ["secret outage", "/v1/pets", "theirs"],
        ["secret fault", "/v1/pets/1", "theirs"],
        ["secret cut", "/v1/pets", "theirs"],
      ]);
    },
  },
  {
    name: "tells onResponse the route, the caller, the status, the size and the id of each response",
    isLocal: true,
    options: {
      keys: [{ key: KEY, caller: "shop" }],
      handleStoreOrders: () => new Response("Zoë", { headers: { "content-length": "4", "x-request-id": "own" } }),
      onResponse,
      requestIds: "all",
    },
    async run(api) {
      await api.post({ name: "Zoë", categoryId: 7 });
      responses.length = 0;
      const ids: (string | null)[] = [];
      for (const [method, path, headers] of REQUESTS) {
        ids.push((await api.send(method, path, { headers })).headers.get("x-request-id"));
      }
      const told = responses.map(({ method, route, status, code, caller, bodyBytes }) =>
        [method, route, code ?? status, caller?.id, status < 400 ? String(bodyBytes) : ""].join(" ")
      );
      assert.deepEqual(told, REQUESTS.map(([, , , told]) => told));
      // The app's own response keeps its own.
      assert.equal(ids.pop(), "own");
      assert.deepEqual(responses.slice(0, -1).map(({ requestId }) => requestId), ids);
      assert.equal(new Set(ids).size, ids.length);
    },
  },
];
