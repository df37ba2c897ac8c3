import assert from "node:assert/strict";
import { createMemoryStore, type PetStore } from "../../../mod.ts";
import type { Api, RequestParts } from "./api.ts";
import { assertResponse, cases, type HttpCase } from "./case.ts";

const REX = { name: "Rex", categoryId: 7, status: "sold" };

const REMEMBERED = { needs: ["createOnce"], dependsOn: ["store"] } as const;

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

/** Parameters of a structured header's string, which are ignored. */
const PARAMETERS = [";v=1", "; v=-1.5;w", ';v="a;b\\"c"', ";v=to/ken;*x=?1", ';v=:YQ==:;w=@1659578233;x=%"f%c3%bc"'];

function storeWithoutCreateOnce(): PetStore {
  const store = createMemoryStore();
  const [create, get, list] = [store.create.bind(store), store.get.bind(store), store.list.bind(store)];
  return { create, get, list, check: () => store.check(), close: () => store.close() };
}

/** All but the last need a store with `createOnce()`. */
export const IDEMPOTENCY_CASES: readonly HttpCase[] = [
  ...cases(REMEMBERED, {
    async "answers a repeated create with the first response, and creates no second pet"(api) {
      const first = await api.post(REX, withKey('"a"'));
      assert.deepEqual([first.status, first.headers.get("idempotency-replayed")], [201, null]);
      for (
        const body of [REX, JSON.stringify(REX, null, 2), { status: "sold", categoryId: 7.0, name: "Rex", id: 99 }]
      ) {
        const again = await api.post(body, withKey('"a"'));
        assert.deepEqual([again.status, again.text], [201, first.text]);
        assert.equal(again.headers.get("location"), first.headers.get("location"));
        assert.equal(again.headers.get("idempotency-replayed"), "true");
      }
      assert.equal(await countPets(api), 1);
    },
    async "refuses an Idempotency-Key that was used for another pet with 422"(api) {
      await api.post(REX, withKey("a"));
      for (const other of [{ ...REX, name: "Bo" }, { ...REX, categoryId: 8 }, { ...REX, status: "pending" }]) {
        assertResponse(await api.post(other, withKey("a")), { status: 422, code: "idempotency_key_reused" });
      }
      assert.equal(await countPets(api), 1);
    },
    async "does not remember a request that failed"(api) {
      for (const body of ["{", { name: "" }]) assert.equal((await api.post(body, withKey("a"))).status, 400);
      const { status, headers } = await api.post(REX, withKey("a"));
      assert.deepEqual([status, headers.get("idempotency-replayed")], [201, null]);
    },
  }),
  ...cases({ needs: ["createOnce"] }, {
    async "takes an Idempotency-Key bare or quoted, of up to 255 characters, as one and the same"(api) {
      for (const [i, key] of ["a", "x".repeat(255), "8e03978e-40d5;/=+"].entries()) {
        for (const written of [key, `"${key}"`]) assert.equal((await api.post(REX, withKey(written))).pet.id, i + 1);
      }
      for (const parameters of PARAMETERS) {
        const response = await api.post(REX, withKey(`"a"${parameters}`));
        assert.deepEqual([response.status, response.text.slice(0, 8)], [201, '{"id":1,'], parameters);
      }
      const escaped = await api.post(REX, withKey('"a\\"b\\\\, c"'));
      assert.deepEqual([escaped.status, escaped.pet.id], [201, 4]);
    },
    async "refuses an invalid Idempotency-Key with 400, and creates no pet"(api) {
      for (const key of [...BAD_KEYS, "x".repeat(256), `"${"x".repeat(256)}"`]) {
        // Headers refuses some of these keys; the petstore must refuse the others.
        let parts;
        try {
          parts = withKey(key);
          new Headers(parts.headers as Record<string, string>);
        } catch {
          continue;
        }
        assertResponse(await api.post(REX, parts), { status: 400, code: "invalid_idempotency_key" }, key);
      }
      assert.equal(await countPets(api), 0);
    },
    async "ignores an Idempotency-Key on requests that create nothing"(api) {
      for (const key of ["a", "a b"]) assert.equal((await api.get("/pets", withKey(key))).status, 200);
    },
  }),
  ...cases({ ...REMEMBERED, options: { keys: () => true } }, {
    async "keeps the Idempotency-Keys of one API key apart from those of another"(api) {
      const ids = [];
      for (const key of ["one", "two", "one"]) ids.push((await api.post(REX, withKey("a", { key }))).pet.id);
      assert.deepEqual(ids, [1, 2, 1]);
    },
  }),
  ...cases({ ...REMEMBERED, options: { idempotencyRetentionMs: 1 } }, {
    async "remembers an Idempotency-Key for the configured time"(api) {
      const ids = new Set<number>();
      // A millisecond passes between two of these requests sooner or later.
      const deadline = performance.now() + 10_000;
      while (ids.size < 3) {
        assert.ok(performance.now() < deadline, "A request is remembered for ten seconds instead of a millisecond");
        const { status, text, pet } = await api.post(REX, withKey("a"));
        assert.equal(status, 201, text);
        ids.add(pet.id);
      }
      assert.deepEqual([...ids], [1, 2, 3]);
    },
  }),
  ...cases({ options: { store: storeWithoutCreateOnce() } }, {
    async "answers 501 to an Idempotency-Key where the store cannot remember it"(api) {
      assertResponse(await api.post(REX, withKey("a")), { status: 501, code: "not_implemented" });
      assert.equal((await api.post(REX)).status, 201);
    },
  }),
];
