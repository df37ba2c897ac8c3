/** Who is calling, through the whole petstore: rotated keys, sessions, and what an app's own handler learns. */

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

test("a request that is sent again with the caller's new key gets the first answer", async () => {
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

test("a key keeps its requests over a restart, and from its plain form to its digest", async () => {
  const store = createMemoryStore();
  const digest = "sha256:2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
  for (const keys of [["secret"], [digest]]) {
    const answer = await post(createPetstore({ keys, store }).handle, { authorization: "Bearer secret" });
    assert.equal(answer.headers.get("location"), "/v1/pets/1");
  }
});

test("a session in a cookie is a caller of its own, without an Authorization header", async () => {
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

test("the app's handler of store orders learns who is calling", async () => {
  const { handle } = createPetstore({
    keys: [{ key: "k", caller: "shop" }],
    handleStoreOrders: (_request, { id }) => Response.json(id),
  });
  const answer = await handle(new Request("http://h/v1/store/orders", { headers: { authorization: "Bearer k" } }));
  assert.equal(await answer.json(), "shop");
});

test("a path that has no route, and a key that is not valid, ask the store nothing", async () => {
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

/** Never run: the compiler refuses it if one of these options compiles. */
export const MUST_NOT_COMPILE: PetstoreOptions[] = [
  // @ts-expect-error a string is an iterable of characters, each of which would be a key
  { keys: "abc" },
  // @ts-expect-error a store has to be awaited first
  { keys: ["k"], store: Promise.resolve(createMemoryStore()) },
  // @ts-expect-error the unit is part of the name
  { keys: ["k"], bodyTimeout: 1000 },
];
