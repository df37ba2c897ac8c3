/** A petstore whose reads of keys, and writes of their uses, a case counts, holds or lets fail. */

import type { KeyStore, KeyUse, MaybePromise, PetStore } from "../../stores/store.ts";
import { createKeyManager, type KeyManager } from "../../access/key_management.ts";
import { withStoppedClock } from "../clock.ts";
import { type Ask, askerOf } from "./key_manager.ts";

/** A petstore on one of two servers. The reads of its keys fail or wait as the case says. Time passes only as the case says. */
export interface World {
  keys: KeyStore;
  manager: KeyManager;
  /** That of the other server, which always reads. */
  other: KeyManager;
  ask: Ask;
  /** What each call does first. */
  before: { read(): unknown; touch(): unknown };
  /** How many reads have begun. */
  reads: number;
  /** The writes of uses that have begun. */
  writes: { uses: readonly KeyUse[]; done: Promise<void> }[];
  /** What `onOutage` was told. */
  told: unknown[];
  /** What `onError` was told. */
  errors: unknown[];
  pass(milliseconds: number): void;
}

/** @param hasVersions Whether the manager may ask for changes alone, if the store supports that. */
export async function withWorld(
  keys: KeyStore,
  store: PetStore,
  hasVersions: boolean,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const read = async <T>(call: () => MaybePromise<T>): Promise<T> => {
    world.reads++;
    await world.before.read();
    return await call();
  };
  const watched: KeyStore = {
    list: () => read(() => keys.list()),
    ...keys.listSince && hasVersions && { listSince: (version) => read(() => keys.listSince!(version)) },
    add: (key, replaced) => keys.add(key, replaced),
    revoke: (id, at) => keys.revoke(id, at),
    touch(uses) {
      const done = (async () => {
        await world.before.touch();
        await keys.touch(uses);
      })();
      world.writes.push({ uses, done });
      return done;
    },
    remove: (ids) => keys.remove(ids),
  };
  const told: unknown[] = [], errors: unknown[] = [];
  const manager = createKeyManager(watched, { onOutage: (error) => told.push(error) });
  const ask = askerOf(manager, store, ({ error }) => errors.push(error));
  const before = { read: works, touch: works };
  const other = createKeyManager(keys);
  const world: World = { keys, manager, other, ask, before, reads: 0, writes: [], told, errors, pass: () => {} };
  await withStoppedClock(async (pass) => await run(Object.assign(world, { pass })));
  await Promise.allSettled(world.writes.map(({ done }) => done));
}

export function works(): void {}
