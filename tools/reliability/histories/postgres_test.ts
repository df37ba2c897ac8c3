/**
 * Some histories on PostgreSQL, directly and through PgBouncer, and a control that must be found among so few. `HISTORIES=10000` runs
 * more, which takes an hour.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { type PetStore, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { whyNoCluster } from "../../../tests/support/postgres/cluster.ts";
import { NO_PGBOUNCER } from "../../../tests/support/postgres/pgbouncer.ts";
import { newSeed } from "../../../tests/support/random.ts";
import { testUnless } from "../../../tests/support/system/commands.ts";
import { FAULT, openPool, type OpenStore, withPostgres } from "./postgres.ts";
import { assertHistories } from "./run.ts";

/** The number of histories of each way. Half of them are the same in every run. */
const HISTORIES = Number(process.env["HISTORIES"] ?? 20), SEED = 20301205;

for (const pooled of [false, true]) {
  testUnless(whyNoCluster() || (pooled && NO_PGBOUNCER))(
    `clients cannot tell servers whose connections to ${
      pooled ? "PgBouncer" : "PostgreSQL"
    } fail from one that does one request after the other`,
    async () => {
      const lanes = [SEED, newSeed() % 2 ** 31].map((seed) =>
        withPostgres(
          openPool,
          pooled,
          (place) => assertHistories(place, FAULT, { histories: HISTORIES / 2, seed }),
        )
      );
      const [one = 0, other = 0] = await Promise.all(lanes);
      assert.ok(one + other > HISTORIES / 2, `only ${one + other} faults`);
    },
  );
}

/** Repeats a create whose connection was lost, as a pool that retries does. The first one may have been stored. */
const openTrustingStore: OpenStore = async (url) => {
  const store = await openPool(url, false);
  const { create } = store;
  return Object.assign(store, {
    async create(pet: Parameters<PetStore["create"]>[0]) {
      try {
        return await create.call(store, pet);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        return await create.call(store, pet);
      }
    },
  });
};

testUnless(whyNoCluster())(
  "a store that repeats a create whose connection was lost makes two pets, and few histories find it",
  () =>
    withPostgres(openTrustingStore, false, (place) =>
      assert.rejects(
        assertHistories(place, FAULT, { histories: 200, seed: SEED, endOnFailure: true }),
        / is stored|(GET|POST) .* → /,
      )),
);
