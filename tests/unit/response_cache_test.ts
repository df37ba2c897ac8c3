/** The response cache: how long each response is kept, how many are, and that none is out of date. */

import assert from "node:assert/strict";
import test from "node:test";
import { hashText } from "../../lib/http/hash.ts";
import type { Invalidation, Reply } from "../../lib/http/reply.ts";
import { ResponseCache } from "../../lib/http/response_cache.ts";
import type { Match } from "../../lib/http/router.ts";
import { createMemoryStore, createPetstore } from "../../mod.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { KEY, petRequest } from "../support/pet_requests.ts";

function replyOf(invalidatedBy: Invalidation, body = "[]"): Reply {
  return { status: 200, headers: {}, body, invalidatedBy };
}

/** The cache gives back the match of a target, and does not look into it. */
const MATCH = {} as Match;

/** A cache, and what a GET of a target gets from it, which is made anew if the cache has nothing valid. */
function createCache(changes = { additions: 0, alterations: 0 }, maxBytes = 10_000) {
  const cache = new ResponseCache(() => changes, maxBytes);
  const getOnce = (target: string, make: () => Reply | Promise<Reply>) => {
    const context = createContext({}, "GET", target);
    const kept = cache.find(context);
    return kept && cache.isFresh(kept) ? kept.reply : cache.make(context, MATCH, make);
  };
  /** Asks twice, because only the second response is kept. The first one says nothing of how long it is valid. */
  const get = (target: string, make: () => Reply | Promise<Reply>) => {
    if (!cache.find(createContext({}, "GET", target))) {
      void getOnce(target, () => ({ ...replyOf("addition"), body: null }));
    }
    return getOnce(target, make);
  };
  const has = (target: string) => {
    const kept = cache.find(createContext({}, "GET", target));
    return kept !== undefined && cache.isFresh(kept);
  };
  return { get, getOnce, has };
}

/** Whether a response is fresh after a change, if it was made before the change, and if it was made during it. */
async function freshAfter(change: "additions" | "alterations", invalidatedBy: Invalidation) {
  const changes = { additions: 0, alterations: 0 };
  const made = Promise.withResolvers<Reply>();
  const { get, has } = createCache(changes);
  const reply = get("/during", () => made.promise);
  void get("/before", () => replyOf(invalidatedBy));
  assert.ok(has("/before"));
  changes[change]++;
  made.resolve(replyOf(invalidatedBy));
  await reply;
  const fresh = { before: has("/before"), during: has("/during") };
  // What is made anew is kept.
  void get("/before", () => replyOf(invalidatedBy));
  assert.ok(has("/before"));
  return fresh;
}

test("a change makes a response stale, whether it comes while the response is made or later, unless it is an addition to a full page", async () => {
  const stale = { before: false, during: false };
  assert.deepEqual(await freshAfter("additions", "addition"), stale);
  assert.deepEqual(await freshAfter("alterations", "addition"), stale);
  assert.deepEqual(await freshAfter("alterations", "alteration"), stale);
  assert.deepEqual(await freshAfter("additions", "alteration"), { before: true, during: true });
});

test("the cache is bounded, and keeps nothing that is too large, has failed or was asked for once", async () => {
  const { get, getOnce, has } = createCache({ additions: 0, alterations: 0 }, 20_000);
  for (let i = 0; i < 1000; i++) void get(`/${i}`, () => replyOf("alteration"));
  // 20,000 bytes are about fourteen entries, and at least half of them are kept.
  const kept = Array.from({ length: 1000 }, (_, i) => i).filter((i) => has(`/${i}`));
  assert.ok(has("/999") && kept.length > 5 && kept.length < 16, `${kept.length} were kept`);
  void getOnce("/once", () => replyOf("alteration"));
  void get("/large", () => replyOf("alteration", "x".repeat(20_000)));
  void get("/missing", () => ({ status: 404, headers: {}, body: "{}" }));
  await assert.rejects(async () => await get("/broken", () => Promise.reject(new Error("broken"))), /broken/);
  assert.deepEqual(["/once", "/large", "/missing", "/broken"].map(has), [false, false, false, false]);
});

test("a response that is made anew takes no more room", () => {
  const changes = { additions: 0, alterations: 0 };
  const { get, has } = createCache(changes, 20_000);
  void get("/kept", () => replyOf("alteration"));
  for (; changes.additions < 100; changes.additions++) void get("/last", () => replyOf("addition"));
  assert.ok(has("/kept"));
});

test("two targets with one hash never get each other's response", () => {
  const { get, has } = createCache();
  const [one, other] = ["/v1/pets/352021", "/v1/pets/695800"] as const;
  assert.equal(hashText(one, 0) | 0, hashText(other, 0) | 0);
  void get(one, () => replyOf("alteration", "one"));
  assert.ok(has(one) && !has(other));
  assert.equal((get(other, () => replyOf("alteration", "other")) as Reply).body, "other");
  assert.ok(has(other) && !has(one));
});

test("no response of before is sent when a store in memory has been emptied", async () => {
  const store = createMemoryStore();
  const { handle } = createPetstore({ keys: [KEY], store });
  const get = async () => (await handle(petRequest("/v1/pets/1"))).status;
  store.create({ name: "Rex", categoryId: 7n, status: "sold" });
  for (let time = 0; time < 3; time++) assert.equal(await get(), 200);
  store.clear();
  assert.equal(await get(), 404);
});

test("what an app does with a kept response changes no other response", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  const get = () => handle(petRequest("/v1/pets/1"));
  const show = async (response: Response) => [Object.fromEntries(response.headers), await response.text()] as const;
  await handle(petRequest("/v1/pets", { method: "POST", body: '{"name":"Zoë","categoryId":7}' }));
  const first = await show(await get());
  for (let i = 0; i < 4; i++) {
    const [changed, other, bytes] = await Promise.all([get(), get(), get()]);
    changed.headers.set("etag", "changed");
    changed.headers.delete("content-type");
    assert.equal(await changed.text(), first[1]);
    new Uint8Array(await bytes.arrayBuffer()).fill(0x20);
    assert.deepEqual(await show(other), first);
  }
});

test("what was read twice is sent again with a valid key while nothing has changed, and never when it has", async () => {
  let pets = createMemoryStore();
  let reads = 0;
  let alterations = 0;
  const store: PetStore = {
    changes: () => ({ additions: pets.changes!().additions, alterations }),
    create: (pet) => pets.create(pet),
    get: (id) => (reads++, pets.get(id)),
    list: (query) => (reads++, pets.list(query)),
    check() {},
    close() {},
  };
  const { handle } = createPetstore({ keys: [KEY], store });
  const add = () => pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
  /** How often the store is asked by reads of these paths, which all have this status. */
  const countReads = async (paths: string[], status = 200) => {
    const before = reads;
    for (const path of paths) assert.equal((await handle(petRequest(`/v1${path}`))).status, status);
    return reads - before;
  };
  for (let i = 0; i < 3; i++) await add();
  // A page that is full, the last page, which is not, and a pet.
  const paths = ["/pets?limit=2", "/pets", "/pets/1"];
  assert.deepEqual([await countReads(paths), await countReads(paths), await countReads(paths)], [3, 3, 0]);
  await add();
  assert.deepEqual([await countReads(paths), await countReads(paths)], [1, 0]);
  for (const [method, key, status] of [["GET", "wrong", 401], ["QUERY", KEY, 405]] as const) {
    const headers = { authorization: `Bearer ${key}` };
    for (const path of paths) {
      assert.equal((await handle(petRequest(`/v1${path}`, { method, headers }))).status, status);
    }
  }
  // The pets are replaced, as by a backup that is restored.
  pets = createMemoryStore();
  alterations++;
  assert.equal(await countReads(["/pets/1"], 404), 1);
  assert.equal(await (await handle(petRequest("/v1/pets"))).text(), "[]");
});
