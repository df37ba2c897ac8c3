/** What `deno task crash --store postgres` does, in a few rounds. */

import assert from "node:assert/strict";
import { runCrashRound } from "../../reliability/crash/round.ts";
import { newSeed } from "../../support/random.ts";
import { runRounds } from "../../reliability/shared/rounds.ts";
import { whyNoCluster } from "../../support/postgres/cluster.ts";
import { withTempFolder } from "../../support/temp.ts";
import { testUnless } from "../../support/system/commands.ts";

const skip = whyNoCluster();

testUnless(
  skip,
  "SIGKILL to four servers, or to their PostgreSQL, loses nothing, doubles nothing and hides nothing",
  () =>
    withTempFolder(async (folder) => {
      const options = { store: "postgres" as const, rounds: 8, clients: 32, within: 150, seed: newSeed() };
      const report = await runRounds({ ...options, folder, run: (stage) => runCrashRound(stage, options) });
      const again = `deno task crash --store postgres --rounds 8 --within 150 --seed ${options.seed}`;
      assert.deepEqual(report.findings, [], again);
      for (const { acknowledged, killsInFlight } of report.rounds) assert.ok(acknowledged > 0 && killsInFlight > 0);
    }),
);
