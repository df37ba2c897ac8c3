/** What a store on Deno KV does beyond the contract of all stores. */

import assert from "node:assert/strict";
import { createKvStore, type KvClient } from "../../lib/kv/kv_store.ts";
import { formatPet, formatPets, type PetDraft, StoreUnavailableError } from "@petstore/petstore/store";
import { keysOf, request, REX, test, withCommits, withTestKv, write } from "../kv_support/kv.ts";

test("a KV store refuses what is no KV, and options that cannot work", async (kv) => {
  const create = createKvStore as (kv: unknown, options?: unknown) => unknown;
  const message = /^A KV store needs what openKv\(\) resolves to; a promise has no get\(\)$/;
  const promise = Promise.resolve(kv);
  assert.throws(() => create(promise), { name: "TypeError", message });
  await promise;
  for (const none of [undefined, null, {}, "kv"]) assert.throws(() => create(none), TypeError);
  for (const prefix of [[], "pets", [1], ["x".repeat(499)], ["a\0b"]]) {
    assert.throws(() => create(kv, { prefix }), TypeError);
  }
  for (const timeoutMs of [0, -1, NaN, 2 ** 31]) {
    assert.throws(() => create(kv, { timeoutMs }), RangeError);
  }
  assert.throws(() => create(kv, { timeout: 500 }), {
    name: "TypeError",
    message: "Unknown option timeout; the options are prefix, timeoutMs",
  });
});

test("KV stores with different prefixes share a KV with an app, and see nothing of each other", async (kv) => {
  await write(kv, ["pets", 1n], "an app's");
  const stores = [{}, { prefix: ["app", "pets"] }, { prefix: ["app"] }].map((options) => createKvStore(kv, options));
  for (const store of stores) {
    assert.equal(await store.create(REX), 1n);
    assert.deepEqual(await store.list({ after: 0n, limit: 100 }), { json: formatPets([{ id: 1n, ...REX }]) });
    assert.equal(await store.get(2n), undefined);
  }
  assert.equal(new TextDecoder().decode((await kv.get(["pets", 1n])).value as Uint8Array), "an app's");
  assert.equal((await keysOf(kv)).length, 13);
});

test("creates that arrive together share commits within KV's limits, however long the names and the prefix", async (kv) => {
  // Two bytes for each of the two units of a character, and twice as many characters when they are escaped.
  const drafts = ["𒀀".repeat(255), '"'.repeat(255), `"ÿĀ`.repeat(85)].map((name): PetDraft => ({ ...REX, name }));
  const pets = Array.from({ length: 300 }, (_, i) => ({ ...drafts[i % 3]!, categoryId: -(2n ** 63n) }));
  for (const prefix of [["petstore"], ["p".repeat(498)]]) {
    const store = createKvStore(kv, { prefix });
    const createAll = async (retentionMs: number) => {
      const outcomes = await Promise.all(
        pets.map((pet, i) => store.createOnce?.(pet, request(`${i}`, "f", retentionMs))),
      );
      return outcomes.map((outcome) => outcome && "id" in outcome ? outcome.id : 0n);
    };
    assert.deepEqual(await createAll(0), pets.map((_, i) => BigInt(i + 1)));
    // These also delete the requests that have expired.
    assert.deepEqual(await createAll(60_000), pets.map((_, i) => BigInt(i + 301)));
    assert.equal(await store.get(600n), formatPet({ id: 600n, ...pets.at(-1)! }));
  }
});

test("a page of a KV store shows one moment, even if pets are added while it is read", async (kv) => {
  const store = createKvStore(kv);
  await Promise.all(Array.from({ length: 100 }, () => store.create(REX)));
  let added = 0;
  const slow: KvClient = {
    ...withCommits(kv, (commit) => commit()),
    async *list(selector, options) {
      for await (const row of kv.list(selector, options)) {
        if (added++ < 20) await store.create(REX);
        yield row;
      }
    },
  };
  const reader = createKvStore(slow);
  const expected = await store.list({ after: 0n, limit: 100 });
  assert.deepEqual(await reader.list({ after: 0n, limit: 100 }), expected);
  assert.deepEqual(await store.list({ after: 119n, limit: 100 }), { json: formatPets([{ id: 120n, ...REX }]) });
  assert.equal((await reader.list({ after: 0n, limit: 100, status: "available" })).next, 100n);
});

test("a KV store deletes expired requests while new ones arrive, again and again, and keeps the others", async (kv) => {
  const store = createKvStore(kv);
  const count = async (name: string) => (await keysOf(kv)).filter((key) => key.includes(`/remembered/${name}`)).length;
  for (const [round, letter] of ["a", "b", "c"].entries()) {
    await Promise.all(Array.from({ length: 10 }, (_, i) => store.createOnce!(REX, request(`old${i}`, letter, 0))));
    assert.equal(await count("old"), 10);
    for (let i = 0; i < 15; i++) await store.createOnce!(REX, request(`new${letter}${i}`));
    assert.deepEqual([await count("old"), await count("new")], [0, 15 * (round + 1)]);
  }
});

test("a KV store writes bytes alone, because an older V8 cannot read what a newer one has serialized", async (kv) => {
  const store = createKvStore(kv);
  await store.createOnce?.(REX, request("a"));
  await store.checkWrites?.();
  const values: unknown[] = [];
  for await (const { value } of kv.list({ start: ["petstore"], end: ["petstore~"] })) values.push(value);
  assert.equal(values.length, 6);
  assert.ok(values.every((value) => value instanceof Uint8Array));
});

test("a KV store is unavailable after it or its KV was closed, and leaves the KV open", async (kv) => {
  const calls = (store: ReturnType<typeof createKvStore>) => [
    () => store.create(REX),
    () => store.createOnce?.(REX, request("a")),
    () => store.get(1n),
    () => store.list({ after: 0n, limit: 1 }),
    () => store.check(),
    () => store.checkWrites?.(),
  ];
  const store = createKvStore(kv);
  await store.close();
  for (const call of calls(store)) await assert.rejects(async () => await call(), StoreUnavailableError);
  assert.equal(await createKvStore(kv).create(REX), 1n);
  await withTestKv(async (other) => {
    const orphan = createKvStore(other);
    other.close();
    for (const call of calls(orphan)) await assert.rejects(async () => await call(), StoreUnavailableError);
    await orphan.close();
  }).catch((error) => assert.match(String(error), /closed|BadResource|close/));
});

test("a store leaves what is below its own entries, and what it has not written", async (kv) => {
  const below = createKvStore(kv, { prefix: ["petstore", "remembered"] });
  const store = createKvStore(kv);
  await below.create(REX);
  for (const [name, bytes] of [["0", ""], ["1", "null"], ["2", "{"]] as const) {
    await write(kv, ["petstore", "remembered", name], bytes);
  }
  for (let i = 0; i < 10; i++) {
    assert.equal((await store.createOnce!(REX, request(`r${i}`, "f", 0))).outcome, "created");
  }
  assert.equal(await below.get(1n), formatPet({ id: 1n, ...REX }));
  assert.equal(await below.create(REX), 2n);
});

test("a store whose counter is missing, changed or of a later release refuses creates, and gives no id again", async (kv) => {
  const first = createKvStore(kv);
  for (let i = 0; i < 3; i++) await first.create({ ...REX, name: `pet ${i}` });
  // Another program has removed the pet. Its id has been given nevertheless.
  await write(kv, ["petstore", "pets", 1n], undefined);
  const stored = await keysOf(kv);
  const behind = ['{"format":1,"last":2}', '{"format":1,"last":0}'];
  const changed = [
    ...behind,
    "null",
    "junk",
    '{"format":1,"last":1.5}',
    '{"format":1,"last":-3}',
    '{"format":2,"last":3}',
  ];
  for (const text of [undefined, ...changed]) {
    await write(kv, ["petstore", "counter"], text);
    const refusal = {
      name: "StoreUnavailableError",
      message: /^(The petstore's counter (is missing|in Deno KV is behind)|A later|Another) /,
    };
    // A store that runs already knows the counter, and must not begin it again.
    await assert.rejects(async () => await first.create(REX), refusal);
    const store = createKvStore(kv);
    for (const call of [() => store.create(REX), () => store.check(), () => store.checkWrites!()]) {
      await assert.rejects(async () => await call(), refusal);
    }
    assert.equal(await store.get(2n), formatPet({ id: 2n, ...REX, name: "pet 1" }));
    await store.close();
  }
  assert.deepEqual(await keysOf(kv), stored);
});

test("a counter that another program has raised gives no id to two pets", async (kv) => {
  await write(kv, ["petstore", "counter"], '{"format":1,"last":9007199254740990}');
  const store = createKvStore(kv);
  const ids = new Set<bigint>();
  for (const count of [1, 3]) {
    const created = await Promise.allSettled(Array.from({ length: count }, async () => await store.create(REX)));
    for (const each of created) {
      if (each.status === "rejected") assert.match(each.reason.message, /^Another program has raised /);
      else assert.ok(ids.size < ids.add(each.value).size, `${each.value} again`);
    }
  }
  assert.deepEqual([...ids], [2n ** 53n - 1n]);
});
