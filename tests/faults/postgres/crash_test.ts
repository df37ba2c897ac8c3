/** What `deno task crash --store postgres` does, in a few rounds. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { runCrashRound } from "../../reliability/crash/round.ts";
import { newSeed } from "../../reliability/shared/random.ts";
import { runRounds } from "../../reliability/shared/rounds.ts";
import { whyNoCluster } from "../../support/postgres_cluster.ts";
import { withTempFolder } from "../../support/temp.ts";

const skip = whyNoCluster();

test(
  `SIGKILL to four servers, or to their PostgreSQL, loses nothing, doubles nothing and hides nothing${
    skip ? ` (skipped: ${skip})` : ""
  }`,
  { skip },
  () =>
    withTempFolder(async (folder) => {
      const options = { store: "postgres" as const, rounds: 8, clients: 32, within: 150, seed: newSeed() };
      const report = await runRounds({ ...options, folder, run: (stage) => runCrashRound(stage, options) });
      const again = `deno task crash --store postgres --rounds 8 --within 150 --seed ${options.seed}`;
      assert.deepEqual(report.findings, [], again);
      for (const { acknowledged, killsInFlight } of report.rounds) assert.ok(acknowledged > 0 && killsInFlight > 0);
    }),
);
