/** When a key manager reads the keys of the store and writes their uses, also while the store fails or does not answer. */

import assert from "node:assert/strict";
import { type KeyStore, type PetStore, StoreUnavailableError } from "../../stores/store.ts";
import { withClock, withShortTimers } from "../clock.ts";
import { pause, type StoreCase } from "./case.ts";
import { casesOfKeys } from "./keys.ts";
import { withWorld, works, type World } from "./watched_keys.ts";

const DOWN = new StoreUnavailableError("The store is down");

function fails(): Promise<never> {
  return Promise.reject(DOWN);
}

function hangs(): Promise<never> {
  return new Promise(() => {});
}

const RUNS: Record<string, (world: World) => Promise<void>> = {
  async "fail a request while no keys could be read yet, and return a key that was added"(world) {
    const { manager, other, ask, before, told, errors } = world;
    before.read = fails;
    const first = await other.add({ label: "first" });
    assert.deepEqual(await ask(first), [503]);
    const own = await manager.add({ label: "own" });
    await assert.rejects(manager.check(), DOWN);
    before.read = hangs;
    world.pass(10_000);
    assert.deepEqual(await withShortTimers(() => ask(first)), [503]);
    const late = new StoreUnavailableError("Reading the API keys takes longer than 10000 ms");
    assert.deepEqual([errors, told], [[DOWN, late], []]);
    before.read = works;
    world.pass(10_000);
    assert.deepEqual(await ask(first, own), [200, 200]);
  },
  async "follow the changes of another server within a second, and delay no request while keys are younger"(world) {
    const { manager, other, ask, before } = world;
    const key = await other.add({ label: "ci" });
    await manager.check();
    await other.revoke(key.id);
    const { promise, resolve } = Promise.withResolvers<void>();
    before.read = () => promise;
    for (const [milliseconds, reads] of [[399, 1], [1, 2], [499, 2]] as const) {
      world.pass(milliseconds);
      assert.deepEqual([await ask(key), world.reads], [[200], reads]);
    }
    world.pass(1);
    const asked = ask(key);
    resolve();
    assert.deepEqual([await asked, world.reads], [[401], 2]);
  },
  async "keep known keys valid in an outage, tell its start and its end once, and try again meanwhile"(world) {
    const { manager, other, ask, before, told } = world;
    const known = await other.add({ label: "known" });
    await manager.check();
    const next = await other.add({ label: "next" });
    before.read = fails;
    for (const [milliseconds, reads] of [[400, 2], [399, 2], [1, 3]] as const) {
      world.pass(milliseconds);
      assert.deepEqual([await ask(known), world.reads], [[200], reads]);
      // The read fails meanwhile.
      await pause();
    }
    await assert.rejects(manager.check(), DOWN);
    assert.deepEqual([await ask(known, next), told], [[200, 401], [DOWN]]);
    before.read = works;
    // After a pause, the first request waits for the read.
    world.pass(900);
    assert.deepEqual([await ask(next, known), told], [[200, 200], [DOWN, undefined]]);
  },
  async "tell a second outage like the first, and delay no request in it"(world) {
    const { manager, other, ask, before, told } = world;
    const key = await other.add({ label: "ci" });
    for (before.read of [works, fails, works, fails]) {
      world.pass(1);
      await manager.check().catch(() => {});
    }
    await other.revoke(key.id);
    const { promise, resolve } = Promise.withResolvers<void>();
    before.read = () => promise;
    world.pass(899);
    const asked = ask(key);
    resolve();
    assert.deepEqual(await asked, [200]);
    await manager.check();
    assert.deepEqual([await ask(key), told], [[401], [DOWN, undefined, DOWN, undefined]]);
  },
  async "keep known keys valid while a read does not end, and begin another one after ten seconds"(world) {
    const { manager, other, ask, before, told } = world;
    const known = await other.add({ label: "known" });
    await manager.check();
    const next = await other.add({ label: "next" });
    before.read = hangs;
    world.pass(900);
    assert.deepEqual(await withShortTimers(() => ask(known)), [200]);
    assert.deepEqual(told, [new StoreUnavailableError("Reading the API keys takes longer than 1000 ms")]);
    before.read = works;
    world.pass(9_999);
    assert.deepEqual([await ask(known), world.reads], [[200], 2]);
    world.pass(1);
    assert.deepEqual([await ask(next), world.reads, told.length, told[1]], [[200], 3, 2, undefined]);
  },
  async "write uses once a minute, and five seconds after a write that failed"(world) {
    const { keys, manager, ask, before, writes } = world;
    const [unused, used] = [await manager.add({ label: "unused" }), await manager.add({ label: "used" })];
    let minutes = 0;
    /** Uses the key, and lets time pass until the next read. Resolves to the number of writes. */
    const useAndPass = async (milliseconds: number) => {
      await withClock(60_000 * ++minutes - 3_600_000, async () => assert.deepEqual(await ask(used), [200]));
      world.pass(milliseconds);
      await manager.check();
      await Promise.allSettled(writes.map(({ done }) => done));
      return writes.length;
    };
    assert.equal(await useAndPass(1), 1);
    assert.equal(await useAndPass(59_999), 1);
    before.touch = fails;
    assert.equal(await useAndPass(1), 2);
    assert.equal(await useAndPass(4_999), 2);
    before.touch = works;
    assert.equal(await useAndPass(1), 3);
    // Without a use, there is nothing to write.
    world.pass(60_000);
    await manager.check();
    await manager.flush();
    assert.deepEqual(writes.map(({ uses }) => uses.map(({ id }) => id)), [[used.id], [used.id], [used.id]]);
    const list = await keys.list();
    const lastUseOf = ({ id }: { id: string }) => list.find((key) => key.id === id)?.lastUsed;
    assert.deepEqual([lastUseOf(unused), lastUseOf(used)], [undefined, writes.at(-1)?.uses[0]?.at]);
  },
};

/** On keys that tell what has changed, and on keys that only list. */
const RUNS_OF_BOTH = Object.entries(RUNS).map(([name, run]) =>
  [`lets a key manager ${name}`, async (keys: KeyStore, store: PetStore) => {
    for (const hasVersions of [true, false]) await withWorld(keys, store, hasVersions, run);
  }] as const
);

export const KEY_READ_CASES: StoreCase[] = casesOfKeys(Object.fromEntries(RUNS_OF_BOTH));
