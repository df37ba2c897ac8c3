/** What is kept of answers, and that nothing is served from it which may have changed. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import test from "node:test";
import type { Answer } from "../../lib/http/answer.ts";
import { KeptAnswers } from "../../lib/http/kept_answers.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { createMemoryStore, type PetQuery, type PetStore } from "../../mod.ts";
import { IN_PROCESS, withApi } from "../support/api.ts";
import { withTempFolder } from "../support/temp.ts";

function answer(holds: NonNullable<Answer["holds"]>, body = "[]"): Answer {
  return { status: 200, headers: {}, body, holds };
}

test("the cache keeps what holds always, and drops at an addition what holds until then", () => {
  const changes = { additions: 0, alterations: 0 };
  const cache = new KeptAnswers(() => changes, 10_000);
  assert.equal(cache.find("/a"), undefined);
  const [always, untilThen] = [answer("always"), answer("until-addition")];
  cache.keep("/a", always, cache.now());
  cache.keep("/b", untilThen, cache.now());
  assert.deepEqual([cache.find("/a"), cache.find("/b")], [always, untilThen]);
  changes.additions++;
  assert.deepEqual([cache.find("/a"), cache.find("/b")], [always, undefined]);
});

test("the cache forgets everything at an alteration, and keeps nothing that was made before one", () => {
  const changes = { additions: 0, alterations: 0 };
  const cache = new KeptAnswers(() => changes, 10_000);
  cache.find("/a");
  cache.keep("/a", answer("always"), cache.now());
  const before = cache.now();
  changes.alterations++;
  assert.equal(cache.find("/a"), undefined);
  cache.keep("/a", answer("always"), before);
  assert.equal(cache.find("/a"), undefined);
});

test("the cache keeps no answer that does not say how long it holds", () => {
  const cache = new KeptAnswers(() => ({ additions: 0, alterations: 0 }), 10_000);
  cache.find("/a");
  cache.keep("/a", { status: 404, headers: {}, body: "{}" }, cache.now());
  assert.equal(cache.find("/a"), undefined);
});

test("the cache is bounded, and keeps what is asked for again and again", () => {
  const cache = new KeptAnswers(() => ({ additions: 0, alterations: 0 }), 20_000);
  cache.find("/hot");
  cache.keep("/hot", answer("always"), cache.now());
  for (let i = 0; i < 1000; i++) {
    cache.keep(`/${i}`, answer("always"), cache.now());
    assert.ok(cache.find("/hot"), `lost after ${i}`);
  }
  // 20,000 bytes of either generation hold some thirty entries each.
  const kept = Array.from({ length: 1000 }, (_, i) => i).filter((i) => cache.find(`/${i}`) !== undefined);
  assert.ok(kept.length > 10 && kept.length < 70, `${kept.length} were kept`);
  cache.keep("/large", answer("always", "x".repeat(20_000)), cache.now());
  assert.equal(cache.find("/large"), undefined);
});

test("an answer that takes the place of an older one does not count twice", () => {
  const changes = { additions: 0, alterations: 0 };
  const cache = new KeptAnswers(() => changes, 20_000);
  cache.find("/hot");
  cache.keep("/hot", answer("always"), cache.now());
  // A client that polls one page beside creates: each time it is read anew, and kept.
  for (let i = 0; i < 1000; i++) {
    cache.keep("/polled", answer("until-addition", "x".repeat(i % 500)), cache.now());
    assert.ok(cache.find("/polled"));
    changes.additions++;
    assert.equal(cache.find("/polled"), undefined);
  }
  assert.ok(cache.find("/hot"));
});

/** A store that counts how often it is asked. */
function counting(store: PetStore): PetStore & { reads: number } {
  return {
    reads: 0,
    create: (pet) => store.create(pet),
    get(id: bigint) {
      this.reads++;
      return store.get(id);
    },
    list(query: PetQuery) {
      this.reads++;
      return store.list(query);
    },
    changes: () => store.changes!(),
    check: () => store.check(),
    close: () => store.close(),
  };
}

test("a page with a next one and a pet are read once, the last page again after every create", async () => {
  const store = counting(createMemoryStore());
  await withApi(IN_PROCESS, { store }, async (api) => {
    for (let i = 0; i < 3; i++) await api.post({ name: "Rex", categoryId: 7 });
    for (let i = 0; i < 3; i++) {
      for (const path of ["/pets?limit=2", "/pets/1", "/pets"]) assert.equal((await api.get(path)).status, 200);
    }
    assert.equal(store.reads, 3);
    await api.post({ name: "Rex", categoryId: 7 });
    assert.equal((await api.get("/pets?limit=2")).pets.length, 2);
    assert.equal((await api.get("/pets/1")).pet.id, 1);
    assert.equal(store.reads, 3);
    assert.equal((await api.get("/pets")).pets.length, 4);
    assert.equal(store.reads, 4);
  });
});

test("a kept answer needs a key like any other, and a HEAD or a condition gets what it asks for", async () => {
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

test("what another program does to the database is seen by the next request", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    const store = createSqliteStore(path);
    const other = new DatabaseSync(path);
    await withApi(IN_PROCESS, { store }, async (api) => {
      for (let i = 0; i < 3; i++) await api.post({ name: "Rex", categoryId: 7 });
      const paths = ["/pets", "/pets/2", "/pets?limit=2", "/pets?status=available&limit=1"];
      const look = async () => {
        // A turn of the event loop, as there is between any two requests that come through a socket.
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
