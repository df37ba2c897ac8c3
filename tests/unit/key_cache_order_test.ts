/** Two reads of a key cache at once. The published cases have one after the other, key_cache_test.ts every order of events. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyCache } from "../../lib/access/key_cache.ts";
import { isPromise } from "../../lib/maybe_promise.ts";
import type { StoredKey } from "../../lib/stores/key_store.ts";
import { withStoppedClock } from "../../lib/testing/clock.ts";

test("an older read that fails after a newer one has ended is not told, and one that ends before leaves the newer one", () =>
  withStoppedClock(async (pass) => {
    const reads: PromiseWithResolvers<StoredKey[]>[] = [], told: unknown[] = [];
    const list = () => {
      const read = Promise.withResolvers<StoredKey[]>();
      reads.push(read);
      return read.promise;
    };
    const never = () => assert.fail();
    const store = { list, add: never, revoke: never, touch: never, remove: never };
    const cache = new KeyCache(store, [], (error) => told.push(error));
    const [older, newer] = [cache.renew(), cache.renew()];
    reads[1]!.resolve([]);
    await newer;
    reads[0]!.reject(new Error("broken"));
    await assert.rejects(older, /broken/);
    assert.deepEqual(told, []);
    const [next] = [cache.renew(), cache.renew()];
    reads[2]!.resolve([]);
    await next;
    pass(900);
    const waiting = cache.current();
    assert.deepEqual([isPromise(waiting), reads.length], [true, 4]);
    reads[3]!.resolve([]);
    await waiting;
  }));
