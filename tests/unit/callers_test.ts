/** The caller of a request, through the whole petstore: rotated keys, sessions, and the app's own handler. */

import assert from "node:assert/strict";
import test from "node:test";
import { createMemoryStore, createPetstore, type PetstoreOptions } from "../../mod.ts";

const BODY = '{"name":"Rex","categoryId":7}';

function post(handle: (request: Request) => Promise<Response>, headers: Record<string, string>): Promise<Response> {
  return handle(
    new Request("http://h/v1/pets", {
      method: "POST",
      headers: { "idempotency-key": "order-1", "content-type": "application/json", ...headers },
      body: BODY,
    }),
  );
}

test("a request repeated with another key of its caller gets the first response", async () => {
  const { handle } = createPetstore({
    keys: [{ key: "old", caller: "shop" }, { key: "new", caller: "shop" }, "other"],
  });
  const first = await post(handle, { authorization: "Bearer old" });
  const again = await post(handle, { authorization: "Bearer new" });
  assert.deepEqual([first.headers.get("location"), again.headers.get("location")], ["/v1/pets/1", "/v1/pets/1"]);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  const other = await post(handle, { authorization: "Bearer other" });
  assert.equal(other.headers.get("location"), "/v1/pets/2");
});

test("a key keeps its requests after a restart, and when its digest replaces its plain form", async () => {
  const store = createMemoryStore();
  const digest = "sha256:2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
  for (const keys of [["secret"], [digest]]) {
    const response = await post(createPetstore({ keys, store }).handle, { authorization: "Bearer secret" });
    assert.equal(response.headers.get("location"), "/v1/pets/1");
  }
});

test("a verifier can take each session in a cookie as a caller, without an Authorization header", async () => {
  const sessions = new Map([["a1", "ann"], ["b2", "bob"]]);
  const { handle } = createPetstore({
    keys: (_key, request) => {
      const id = sessions.get(/(?:^|; )session=([^;]*)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? "");
      return id === undefined ? undefined : { id };
    },
  });
  const locations = [];
  for (const cookie of ["session=a1", "x=y; session=b2", "session=a1"]) {
    locations.push((await post(handle, { cookie })).headers.get("location"));
  }
  assert.deepEqual(locations, ["/v1/pets/1", "/v1/pets/2", "/v1/pets/1"]);
  assert.equal((await post(handle, { cookie: "session=c3" })).status, 401);
  sessions.delete("a1");
  assert.equal((await post(handle, { cookie: "session=a1" })).status, 401);
});

test("handleStoreOrders gets the caller", async () => {
  const { handle } = createPetstore({
    keys: [{ key: "k", caller: "shop" }],
    handleStoreOrders: (_request, { id }) => Response.json(id),
  });
  const response = await handle(new Request("http://h/v1/store/orders", { headers: { authorization: "Bearer k" } }));
  assert.equal(await response.json(), "shop");
});

test("requests without a route or a valid key do not reach the store", async () => {
  const store = createMemoryStore();
  let asked = 0;
  const changes = store.changes!.bind(store);
  store.changes = () => (asked++, changes());
  const { handle } = createPetstore({ keys: ["k"], store });
  const statuses = [];
  for (const [path, key] of [["/v1/nothing", "k"], ["/", "k"], ["/v1/pets", "wrong"]]) {
    const request = new Request(`http://h${path}`, { headers: { authorization: `Bearer ${key}` } });
    statuses.push((await handle(request)).status);
  }
  assert.deepEqual([statuses, asked], [[404, 404, 401], 0]);
});

/** Never run: type checking fails if one of these options is accepted. */
export const MUST_NOT_COMPILE: PetstoreOptions[] = [
  // @ts-expect-error a string is an iterable of characters, each of which would be a key
  { keys: "abc" },
  // @ts-expect-error a promise of a store must be awaited first
  { keys: ["k"], store: Promise.resolve(createMemoryStore()) },
  // @ts-expect-error the option is bodyTimeoutMs
  { keys: ["k"], bodyTimeout: 1000 },
];
