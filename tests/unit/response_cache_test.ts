/** The response cache: how long each response is kept, how many are, and that none is out of date. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import test from "node:test";
import type { Reply } from "../../lib/http/reply.ts";
import { ResponseCache } from "../../lib/http/response_cache.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { createMemoryStore } from "../../mod.ts";
import { IN_PROCESS, withApi } from "../support/api.ts";
import { createContext } from "../support/context.ts";
import { withTempFolder } from "../support/temp.ts";

type Valid = NonNullable<Reply["validUntil"]>;

function replyOf(validUntil: Valid, body = "[]"): Reply {
  return { status: 200, headers: {}, body, validUntil };
}

/** A cache, and what a GET of a target gets from it, which is made anew if the cache has nothing valid. */
function createCache(changes: { additions: number; alterations: number }, maxWeight = 10_000) {
  const cache = new ResponseCache(() => changes, maxWeight);
  const get = (target: string, make: () => Reply | Promise<Reply>) => {
    const context = createContext({}, "GET", target);
    return cache.find(context) ?? cache.make(context, make);
  };
  const has = (target: string) => cache.find(createContext({}, "GET", target)) !== undefined;
  return { get, has };
}

test("the cache drops a response that is valid until an addition, and keeps one that is valid until an alteration", () => {
  const changes = { additions: 0, alterations: 0 };
  const { get, has } = createCache(changes);
  const [lasting, untilThen] = [replyOf("alteration"), replyOf("addition")];
  assert.equal(get("/a", () => lasting), lasting);
  assert.equal(get("/b", () => untilThen), untilThen);
  assert.equal(get("/a", assert.fail), lasting);
  assert.equal(get("/b", assert.fail), untilThen);
  changes.additions++;
  assert.deepEqual([has("/a"), has("/b")], [true, false]);
});

test("an alteration empties the cache, and a response from before it is not kept", async () => {
  const changes = { additions: 0, alterations: 0 };
  const { get, has } = createCache(changes);
  void get("/a", () => replyOf("alteration"));
  const made = Promise.withResolvers<Reply>();
  const late = get("/b", () => made.promise);
  changes.alterations++;
  assert.equal(has("/a"), false);
  made.resolve(replyOf("alteration"));
  await late;
  assert.equal(has("/b"), false);
});

test("a response that was begun before an addition is not valid after it", async () => {
  const changes = { additions: 0, alterations: 0 };
  const { get, has } = createCache(changes);
  const made = Promise.withResolvers<Reply>();
  const late = get("/a", () => made.promise);
  changes.additions++;
  made.resolve(replyOf("addition"));
  await late;
  assert.equal(has("/a"), false);
});

test("the cache does not keep a response that does not say until when it is valid, nor one that failed", async () => {
  const { get, has } = createCache({ additions: 0, alterations: 0 });
  void get("/a", () => ({ status: 404, headers: {}, body: "{}" }));
  assert.throws(() => get("/b", () => assert.fail("broken")), /broken/);
  await assert.rejects(async () => await get("/c", () => Promise.reject(new Error("broken"))), /broken/);
  assert.deepEqual([has("/a"), has("/b"), has("/c")], [false, false, false]);
});

test("the cache is bounded and keeps a response in frequent use", () => {
  const { get, has } = createCache({ additions: 0, alterations: 0 }, 20_000);
  void get("/hot", () => replyOf("alteration"));
  for (let i = 0; i < 1000; i++) {
    void get(`/${i}`, () => replyOf("alteration"));
    assert.ok(has("/hot"), `lost after ${i}`);
  }
  // Each of the two generations has 20,000 bytes, which is about thirty entries.
  const kept = Array.from({ length: 1000 }, (_, i) => i).filter((i) => has(`/${i}`));
  assert.ok(kept.length > 10 && kept.length < 70, `${kept.length} were kept`);
  void get("/large", () => replyOf("alteration", "x".repeat(20_000)));
  assert.equal(has("/large"), false);
});

test("replacing a response does not count its size twice", () => {
  const changes = { additions: 0, alterations: 0 };
  const { get, has } = createCache(changes, 20_000);
  void get("/hot", () => replyOf("alteration"));
  // A client polls a page while others create: each time the page is read and kept again.
  for (let i = 0; i < 1000; i++) {
    void get("/polled", () => replyOf("addition", "x".repeat(i % 500)));
    assert.ok(has("/polled"));
    changes.additions++;
    assert.ok(!has("/polled"));
  }
  assert.ok(has("/hot"));
});

test("a full page and a pet are read once, the last page again after each create", async (t) => {
  const store = createMemoryStore();
  const [get, list] = [t.mock.method(store, "get"), t.mock.method(store, "list")];
  const count = () => get.mock.callCount() + list.mock.callCount();
  await withApi(IN_PROCESS, { store }, async (api) => {
    for (let i = 0; i < 3; i++) await api.post({ name: "Rex", categoryId: 7 });
    for (let i = 0; i < 3; i++) {
      for (const path of ["/pets?limit=2", "/pets/1", "/pets"]) assert.equal((await api.get(path)).status, 200);
    }
    assert.equal(count(), 3);
    await api.post({ name: "Rex", categoryId: 7 });
    assert.equal((await api.get("/pets?limit=2")).pets.length, 2);
    assert.equal((await api.get("/pets/1")).pet.id, 1);
    assert.equal(count(), 3);
    assert.equal((await api.get("/pets")).pets.length, 4);
    assert.equal(count(), 4);
  });
});

test("a kept response still needs a key, and serves HEAD and conditional requests", async () => {
  await withApi(IN_PROCESS, {}, async (api) => {
    await api.post({ name: "Rex", categoryId: 7 });
    const { headers } = await api.get("/pets/1");
    assert.equal((await api.get("/pets/1", { key: null })).status, 401);
    assert.equal((await api.get("/pets/1", { key: "wrong" })).status, 401);
    assert.equal((await api.send("HEAD", "/pets/1")).headers.get("content-length"), "57");
    const etag = headers.get("etag") ?? "";
    const again = await api.get("/pets/1", { headers: { "if-none-match": etag } });
    assert.deepEqual([again.status, again.headers.get("sunset")], [304, headers.get("sunset")]);
    assert.equal((await api.send("DELETE", "/pets/1")).status, 405);
  });
});

test("the next request sees what another program changed in the database", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    const store = createSqliteStore(path);
    const other = new DatabaseSync(path);
    await withApi(IN_PROCESS, { store }, async (api) => {
      for (let i = 0; i < 3; i++) await api.post({ name: "Rex", categoryId: 7 });
      const paths = ["/pets", "/pets/2", "/pets?limit=2", "/pets?status=available&limit=1"];
      const look = async () => {
        // Requests through a socket are always at least one turn of the event loop apart.
        await new Promise((resolve) => setImmediate(resolve));
        return await Promise.all(paths.map(async (path) => (await api.get(path)).text));
      };
      const before = await look();
      assert.deepEqual(await look(), before);
      other.exec("UPDATE pets SET name = 'Luna'");
      for (const text of await look()) assert.match(text, /Luna/);
      other.exec("DELETE FROM pets");
      assert.deepEqual((await look()).map((text) => /Luna/.test(text)), [false, false, false, false]);
      other.exec("INSERT INTO pets VALUES (10, 'Bo', 1, 0)");
      assert.match((await look())[0] ?? "", /"id":10/);
    });
    other.close();
    await store.close();
  }));
