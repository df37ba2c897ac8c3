import assert from "node:assert/strict";
import { newSeed } from "../../support/random.ts";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { whyNoHaCluster } from "./cluster.ts";
import { FAULT_KINDS } from "./faults.ts";
import { runHaRounds } from "./run.ts";

/** Below Patroni's recommendations, so that the test is short. */
const SHORT = { ttl: 5, retry: 2, etcd: "v2" } as const;

testUnless(whyNoHaCluster())(
  "a primary under Patroni that is killed, paused, cut off, or cut from its cluster takes no acknowledged pet along",
  () =>
    withTempFolder(async (folder) => {
      const load = { kinds: FAULT_KINDS, servers: 2, clients: 4, enough: 30, seed: newSeed() };
      const settings = { ...SHORT, via: "haproxy", replication: "synchronous" } as const;
      const { rounds, findings } = await runHaRounds({ ...settings, ...load, folder });
      assert.deepEqual(findings, [], `deno task ha --rounds 4 --ttl 5 --retry 2 --clients 4 --seed ${load.seed}`);
      // Each fault stopped the creates: it hit the primary.
      for (const { kind, repeated } of rounds) assert.ok(repeated > 0, kind);
      assert.equal(rounds.length, FAULT_KINDS.length);
    }),
);
