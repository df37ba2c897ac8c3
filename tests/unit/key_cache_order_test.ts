/** Two reads of a key cache at once, and a wait for one. key_cache_test.ts has every order of events. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyCache } from "../../lib/access/key_cache.ts";
import { isPromise } from "../../lib/maybe_promise.ts";
import type { StoredKey } from "../../lib/stores/key_store.ts";
import { withStoppedClock } from "../support/stopped_clock.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const never = () => assert.fail();
const UNUSED = { add: never, revoke: never, touch: never, remove: never };

test("an older read that fails after a newer one has ended is not told, and one that ends before leaves the newer one", () =>
  withStoppedClock(async (pass) => {
    const reads: PromiseWithResolvers<StoredKey[]>[] = [], told: unknown[] = [];
    const list = () => {
      const read = Promise.withResolvers<StoredKey[]>();
      reads.push(read);
      return read.promise;
    };
    const cache = new KeyCache({ ...UNUSED, list }, [], (error) => told.push(error));
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

test("a request that has waited for the keys leaves no timer, which would keep the process alive", () =>
  withVirtualClock(async ({ pending }) => {
    await new KeyCache({ ...UNUSED, list: () => [] }, [], never).current();
    assert.equal(pending(), 0);
  }));
