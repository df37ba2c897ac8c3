/** Entries that another program has written or deleted, and a KV that answers too late. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKvStore, type KvClient } from "../../../lib/stores/kv/kv_store.ts";
import { pause, request } from "../../../lib/testing/store/case.ts";
import { formatPet, StoreUnavailableError } from "../../../mod.ts";
import { withTestKv } from "../../support/kv.ts";
import { REX, withCommits } from "./support.ts";

/** Writes a text, or deletes what is there. */
async function write(kv: KvClient, key: string[], text: string | undefined): Promise<void> {
  const atomic = kv.atomic();
  if (text === undefined) atomic.delete(key);
  else atomic.set(key, new TextEncoder().encode(text));
  await atomic.commit();
}

test("a create that was refused because a read took too long is not sent to KV later", () =>
  withTestKv(async (kv) => {
    let commits = 0;
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const slow: KvClient = {
      ...withCommits(kv, (commit) => {
        commits++;
        return commit();
      }),
      getMany: async (keys, options) => {
        await gate;
        return await kv.getMany(keys, options);
      },
    };
    const store = createKvStore(slow, { timeoutMs: 50 });
    await assert.rejects(async () => await store.create(REX), StoreUnavailableError);
    await store.close();
    release();
    await pause(50);
    assert.equal(commits, 0);
    assert.deepEqual(await createKvStore(kv).list({ after: 0n, limit: 5 }), { json: "[]" });
  }));

test("a store leaves what is below its own entries, and what it has not written", () =>
  withTestKv(async (kv) => {
    const below = createKvStore(kv, { prefix: ["petstore", "remembered"] });
    const store = createKvStore(kv);
    await below.create(REX);
    for (const [name, bytes] of [["0", ""], ["1", "null"], ["2", "{"]] as const) {
      await write(kv, ["petstore", "remembered", name], bytes);
    }
    for (let i = 0; i < 10; i++) {
      assert.equal((await store.createOnce!(REX, request(`r${i}`, "same", 0))).outcome, "created");
    }
    assert.equal(await below.get(1n), formatPet({ id: 1n, ...REX }));
    assert.equal(await below.create(REX), 2n);
  }));

test("a store whose counter is missing or changed refuses creates, and gives no id again", () =>
  withTestKv(async (kv) => {
    const first = createKvStore(kv);
    for (let i = 0; i < 3; i++) await first.create({ ...REX, name: `pet ${i}` });
    const changed = ["null", "junk", '{"format":1,"last":1.5}', '{"format":1,"last":-3}', '{"format":2,"last":3}'];
    for (const text of [undefined, ...changed]) {
      await write(kv, ["petstore", "counter"], text);
      const store = createKvStore(kv);
      await assert.rejects(async () => await store.create(REX), StoreUnavailableError);
      await assert.rejects(async () => await store.check(), StoreUnavailableError);
      assert.equal(await store.get(1n), formatPet({ id: 1n, ...REX, name: "pet 0" }));
      await store.close();
    }
  }));
