import assert from "node:assert/strict";
import { createMemoryStore, type PetStore } from "../../../mod.ts";
import type { Api, RequestParts } from "./api.ts";
import { caseWith, type HttpCase, httpCase } from "./case.ts";

const REX = { name: "Rex", categoryId: 7, status: "sold" };

function withKey(key: string, parts: RequestParts = {}): RequestParts {
  return { ...parts, headers: { "idempotency-key": key } };
}

async function countPets(api: Api): Promise<number> {
  return (await api.get("/pets?limit=100")).pets.length;
}

const BAD_KEYS = [
  ...["", " ", '""', '"', '"a', 'a"', '"a"b', '"a";', '"a" ;p=1', '"a";P=1', '"a";p=', '"a";p="x', '"a";p=1, "b"'],
  ...['"a";p=1.2345', '"\\a"', '"a\\"', "a b", "a,b", '"a", "b"', "é", "a\\b"],
];

function storeWithoutCreateOnce(): PetStore {
  const store = createMemoryStore();
  const [create, get, list] = [store.create.bind(store), store.get.bind(store), store.list.bind(store)];
  return { create, get, list, check: () => store.check(), close: () => store.close() };
}

const CASES: readonly HttpCase[] = [
  httpCase("answers a repeated create with the first response, and creates no second pet", async (api) => {
    const first = await api.post(REX, withKey('"a"'));
    assert.deepEqual([first.status, first.headers.get("idempotency-replayed")], [201, null]);
    for (const body of [REX, JSON.stringify(REX, null, 2), { status: "sold", categoryId: 7.0, name: "Rex", id: 99 }]) {
      const again = await api.post(body, withKey('"a"'));
      assert.deepEqual([again.status, again.text], [201, first.text]);
      assert.equal(again.headers.get("location"), first.headers.get("location"));
      assert.equal(again.headers.get("idempotency-replayed"), "true");
    }
    assert.equal(await countPets(api), 1);
  }),
  httpCase("refuses an Idempotency-Key that was used for another pet with 422", async (api) => {
    await api.post(REX, withKey("a"));
    const others = [{ ...REX, name: "Bo" }, { ...REX, categoryId: 8 }, { ...REX, status: "pending" }];
    for (const other of others) {
      const { status, error } = await api.post(other, withKey("a"));
      assert.deepEqual([status, error.code], [422, "idempotency_key_reused"]);
    }
    assert.equal(await countPets(api), 1);
  }),
  httpCase("takes an Idempotency-Key bare or quoted, of up to 255 characters, as one and the same", async (api) => {
    const keys = [["a", '"a"'], ["x".repeat(255), `"${"x".repeat(255)}"`], [
      "8e03978e-40d5;/=+",
      '"8e03978e-40d5;/=+"',
    ]];
    for (const [i, [bare = "", quoted = ""]] of keys.entries()) {
      assert.equal((await api.post(REX, withKey(bare))).pet.id, i + 1);
      assert.equal((await api.post(REX, withKey(quoted))).pet.id, i + 1);
    }
    for (
      const parameters of [
        ...[";v=1", "; v=-1.5;w", ';v="a;b\\"c"', ";v=to/ken;*x=?1", ';v=:YQ==:;w=@1659578233;x=%"f%c3%bc"'],
      ]
    ) {
      const response = await api.post(REX, withKey(`"a"${parameters}`));
      assert.deepEqual([response.status, response.text.slice(0, 8)], [201, '{"id":1,'], parameters);
    }
    const escaped = await api.post(REX, withKey('"a\\"b\\\\, c"'));
    assert.deepEqual([escaped.status, escaped.pet.id], [201, 4]);
  }),
  httpCase("refuses an invalid Idempotency-Key with 400, and creates no pet", async (api) => {
    for (const key of [...BAD_KEYS, "x".repeat(256), `"${"x".repeat(256)}"`]) {
      // Headers refuses some of these keys; the petstore must refuse the others.
      let parts;
      try {
        parts = withKey(key);
        new Headers(parts.headers as Record<string, string>);
      } catch {
        continue;
      }
      const { status, error } = await api.post(REX, parts);
      assert.deepEqual([status, error.code], [400, "invalid_idempotency_key"], JSON.stringify(key));
    }
    assert.equal(await countPets(api), 0);
  }),
  caseWith(
    { keys: () => true },
    "keeps the Idempotency-Keys of one API key apart from those of another",
    async (api) => {
      const ids = [];
      for (const key of ["one", "two", "one"]) ids.push((await api.post(REX, withKey("a", { key }))).pet.id);
      assert.deepEqual(ids, [1, 2, 1]);
    },
  ),
  httpCase("sends one response to all concurrent requests with one Idempotency-Key", async (api) => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => api.post(REX, withKey("a"))));
    assert.deepEqual(new Set(responses.map(({ text }) => text)).size, 1);
    assert.equal(responses.filter(({ headers }) => !headers.has("idempotency-replayed")).length, 1);
    assert.equal(await countPets(api), 1);
  }),
  httpCase("does not remember a request that failed", async (api) => {
    for (const body of ["{", { name: "" }]) assert.equal((await api.post(body, withKey("a"))).status, 400);
    const { status, headers } = await api.post(REX, withKey("a"));
    assert.deepEqual([status, headers.get("idempotency-replayed")], [201, null]);
  }),
  caseWith({ idempotencyRetentionMs: 1 }, "remembers an Idempotency-Key for the configured time", async (api) => {
    const ids = new Set<number>();
    // A millisecond passes between two of these requests sooner or later.
    const deadline = performance.now() + 10_000;
    while (ids.size < 3) {
      assert.ok(
        performance.now() < deadline,
        "A request is still remembered after ten seconds instead of a millisecond",
      );
      const { status, text, pet } = await api.post(REX, withKey("a"));
      assert.equal(status, 201, text);
      ids.add(pet.id);
    }
    assert.deepEqual([...ids], [1, 2, 3]);
  }),
  httpCase("ignores an Idempotency-Key on requests that create nothing", async (api) => {
    for (const key of ["a", "a b"]) assert.equal((await api.get("/pets", withKey(key))).status, 200);
  }),
  caseWith(
    { store: storeWithoutCreateOnce() },
    "answers 501 to an Idempotency-Key where the store cannot remember it",
    async (api) => {
      const { status, error } = await api.post(REX, withKey("a"));
      assert.deepEqual([status, error.code], [501, "not_implemented"]);
      assert.equal((await api.post(REX)).status, 201);
    },
  ),
];

/** They need a store with `createOnce()`, except the case that has its own store. */
export const IDEMPOTENCY_CASES: readonly HttpCase[] = CASES.map((each) => ({
  ...each,
  needs: each.options?.store ? [] : ["createOnce"],
}));
