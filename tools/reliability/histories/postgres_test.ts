/**
 * Some histories on PostgreSQL, directly and through PgBouncer. `HISTORIES=10000` runs more, which
 * takes an hour. So few find a store that repeats a create whose connection was lost, and one that
 * calls a create refused whose statement was given up.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { whyNoCluster } from "../../../tests/support/postgres/cluster.ts";
import { NO_PGBOUNCER } from "../../../tests/support/postgres/pgbouncer.ts";
import { newSeed } from "../../../tests/support/random.ts";
import { testUnless } from "../../../tests/support/system/commands.ts";
import { runHistories } from "./postgres.ts";

/** The number of histories of each way. Half of them are the same in every run. */
const HISTORIES = Number(process.env["HISTORIES"] ?? 20), SEED = 20301205;

for (const pooled of [false, true]) {
  testUnless(whyNoCluster() || (pooled && NO_PGBOUNCER))(
    `clients cannot tell servers whose connections to ${
      pooled ? "PgBouncer" : "PostgreSQL"
    } fail from one that does one request after the other`,
    async () => {
      const lanes = [SEED, newSeed() % 2 ** 31].map((seed) => runHistories(pooled, HISTORIES / 2, seed));
      const [faults] = await Promise.all(lanes);
      // Histories without a fault would show nothing. How many faults a new seed leads to is a
      // matter of luck, so only the fixed one counts.
      assert.ok(faults! > 0, "The proxy has carried out no fault");
    },
  );
}
