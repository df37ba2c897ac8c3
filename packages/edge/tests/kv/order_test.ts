/** Servers that share a KV, in thousands of orders of their calls. Commits are overtaken, fail, and are answered late or wrongly. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createKvStore } from "../../lib/kv/kv_store.ts";
import type { IdempotentOutcome, PetStore } from "@petstore/petstore/store";
import { petsAfter, request, REX } from "../kv_support/kv.ts";
import { withScheduledTimers } from "../../../../tests/support/scheduled_timers.ts";
import { FATES, ScheduledKv } from "../kv_support/scheduled_kv.ts";

const RUNS = 1000, SERVERS = 3;

/** Whether a timer is a pause before a retry. Longer ones are limits. */
function isPause(milliseconds: number): boolean {
  return milliseconds <= 100;
}

const SERVER = fc.nat(SERVERS - 1);
const FATES_OF_COMMITS = fc.array(fc.constantFrom(...FATES), { maxLength: 10 });

/** The creates of clients, some with a key that others use too. */
const CREATES = fc.array(fc.record({ server: SERVER, key: fc.option(fc.constantFrom("a", "b")) }), {
  minLength: 2,
  maxLength: 9,
});

type Settled = PromiseSettledResult<IdempotentOutcome>;

function create(store: PetStore, name: string, key: string | null): Promise<IdempotentOutcome> {
  const pet = { ...REX, name };
  if (key !== null) return Promise.resolve(store.createOnce!(pet, request(key)));
  return Promise.resolve(store.create(pet)).then((id) => ({ outcome: "created", id }));
}

/** Each id is given once, in order and without gaps, and each pet is there as often as it may be. */
function assertStored(stored: readonly { id: number; name: string }[], names: readonly string[], settled: Settled[]) {
  assert.deepEqual(stored.map(({ id }) => id), stored.map((_, i) => i + 1));
  for (const name of new Set(names)) {
    const ids = stored.filter((pet) => pet.name === name).map(({ id }) => BigInt(id));
    const own = settled.filter((_, i) => names[i] === name);
    const outcomes = own.flatMap((each) => each.status === "fulfilled" ? [each.value] : []);
    // A create that was refused may have been stored, but not twice.
    assert.ok(ids.length <= 1 && (outcomes.length === 0 || ids.length === 1), `${name} is there ${ids.length} times`);
    for (const outcome of outcomes) assert.deepEqual("id" in outcome && outcome.id, ids[0], outcome.outcome);
    const created = outcomes.filter(({ outcome }) => outcome === "created").length;
    assert.ok(created <= 1 && (created === 1 || outcomes.length < own.length), `${created} creates of ${name}`);
  }
}

test("servers give each id once, without gaps, and carry out each request once, in every order of their calls", async () => {
  const seen = new Map<string, number>();
  const property = fc.asyncProperty(
    fc.scheduler(),
    FATES_OF_COMMITS,
    CREATES,
    fc.boolean(),
    async (scheduler, fates, creates, mayTimeOut) => {
      let canTimeOut = mayTimeOut;
      await withScheduledTimers(scheduler, (time) => canTimeOut || isPause(time), async () => {
        const kv = new ScheduledKv(scheduler, fates);
        const stores = Array.from({ length: SERVERS }, () => createKvStore(kv));
        const names = creates.map(({ key }, i) => key ?? `pet ${i}`);
        const work = Promise.allSettled(creates.map(({ server, key }, i) => create(stores[server]!, names[i]!, key)));
        const read = followIds(stores[0]!, work);
        const [settled, shown] = await scheduler.waitFor(Promise.all([work, read]));
        canTimeOut = false;
        kv.recover();
        await scheduler.waitIdle();
        for (const store of stores) {
          names.push(`after ${names.length}`);
          settled.push(...await scheduler.waitFor(Promise.allSettled([create(store, names.at(-1)!, null)])));
          assert.equal(settled.at(-1)!.status, "fulfilled", "A fault of an earlier commit refuses a later create");
        }
        const stored = await scheduler.waitFor(petsAfter(createKvStore(kv)));
        assertStored(stored, names, settled);
        assert.deepEqual(shown, stored.slice(0, shown.length), "A reader was not shown each pet once");
        for (const [fate, count] of kv.seen) seen.set(fate, (seen.get(fate) ?? 0) + count);
      });
    },
  );
  await fc.assert(property, { numRuns: RUNS });
  for (const fate of [...FATES, "overtaken"]) assert.ok(seen.get(fate)! > 100, `${seen.get(fate)} commits: ${fate}`);
});

/** A reader that continues after the last id that it was shown, while the others work. */
async function followIds(store: PetStore, work: Promise<unknown>): Promise<{ id: number }[]> {
  const shown: { id: number }[] = [];
  let isOver = false;
  work.then(() => isOver = true);
  while (!isOver) shown.push(...await petsAfter(store, shown.at(-1)?.id).catch(() => []));
  return shown;
}
