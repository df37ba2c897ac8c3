/** Kept answers: how long each is kept, how many are, and that none is out of date. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import test from "node:test";
import type { Reply } from "../../lib/http/reply.ts";
import { ResponseCache } from "../../lib/http/response_cache.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { createMemoryStore } from "../../mod.ts";
import { IN_PROCESS, withApi } from "../support/api.ts";
import { withTempFolder } from "../support/temp.ts";

function answer(holds: NonNullable<Reply["holds"]>, body = "[]"): Reply {
  return { status: 200, headers: {}, body, holds };
}

test("the cache drops an answer that holds until an addition, and keeps one that always holds", () => {
  const changes = { additions: 0, alterations: 0 };
  const cache = new ResponseCache(() => changes, 10_000);
  assert.equal(cache.find("/a"), undefined);
  const [always, untilThen] = [answer("always"), answer("until-addition")];
  cache.keep("/a", always, cache.now());
  cache.keep("/b", untilThen, cache.now());
  assert.deepEqual([cache.find("/a"), cache.find("/b")], [always, untilThen]);
  changes.additions++;
  assert.deepEqual([cache.find("/a"), cache.find("/b")], [always, undefined]);
});

test("an alteration empties the cache, and an answer from before it is not kept", () => {
  const changes = { additions: 0, alterations: 0 };
  const cache = new ResponseCache(() => changes, 10_000);
  cache.find("/a");
  cache.keep("/a", answer("always"), cache.now());
  const before = cache.now();
  changes.alterations++;
  assert.equal(cache.find("/a"), undefined);
  cache.keep("/a", answer("always"), before);
  assert.equal(cache.find("/a"), undefined);
});

test("the cache does not keep an answer that does not say how long it holds", () => {
  const cache = new ResponseCache(() => ({ additions: 0, alterations: 0 }), 10_000);
  cache.find("/a");
  cache.keep("/a", { status: 404, headers: {}, body: "{}" }, cache.now());
  assert.equal(cache.find("/a"), undefined);
});

test("the cache is bounded and keeps an answer in frequent use", () => {
  const cache = new ResponseCache(() => ({ additions: 0, alterations: 0 }), 20_000);
  cache.find("/hot");
  cache.keep("/hot", answer("always"), cache.now());
  for (let i = 0; i < 1000; i++) {
    cache.keep(`/${i}`, answer("always"), cache.now());
    assert.ok(cache.find("/hot"), `lost after ${i}`);
  }
  // Each of the two generations has 20,000 bytes, which is about thirty entries.
  const kept = Array.from({ length: 1000 }, (_, i) => i).filter((i) => cache.find(`/${i}`) !== undefined);
  assert.ok(kept.length > 10 && kept.length < 70, `${kept.length} were kept`);
  cache.keep("/large", answer("always", "x".repeat(20_000)), cache.now());
  assert.equal(cache.find("/large"), undefined);
});

test("replacing an answer does not count its size twice", () => {
  const changes = { additions: 0, alterations: 0 };
  const cache = new ResponseCache(() => changes, 20_000);
  cache.find("/hot");
  cache.keep("/hot", answer("always"), cache.now());
  // A client polls a page while others create: each time the page is read and kept again.
  for (let i = 0; i < 1000; i++) {
    cache.keep("/polled", answer("until-addition", "x".repeat(i % 500)), cache.now());
    assert.ok(cache.find("/polled"));
    changes.additions++;
    assert.equal(cache.find("/polled"), undefined);
  }
  assert.ok(cache.find("/hot"));
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

test("a kept answer still needs a key, and serves HEAD and conditional requests", async () => {
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
