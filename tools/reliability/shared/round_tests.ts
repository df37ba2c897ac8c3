import assert from "node:assert/strict";
import { test } from "node:test";
import { newSeed } from "../../../tests/support/random.ts";
import { withTempFolder } from "../../../tests/support/temp.ts";
import { type RoundOptions, runRounds } from "./rounds.ts";

/** Two rounds with one worker, and with two. Nothing may be found, and each of some figures must have occurred. */
export function testRounds(
  tool: string,
  name: string,
  runRound: Parameters<typeof runRounds>[0],
  occurs: readonly string[],
): void {
  for (const workers of [1, 2]) {
    const options: RoundOptions = { store: "sqlite", workers, rounds: 2, clients: 32, within: 150 };
    test(`${name} (--workers ${workers})`, () =>
      withTempFolder(async (folder) => {
        const seed = newSeed();
        const { findings, figures } = await runRounds(runRound, options, { seed, folder, log: () => {} });
        const again = `deno task reliability ${tool} --workers ${workers} --rounds 2 --within 150 --seed ${seed}`;
        assert.deepEqual(findings, [], again);
        for (const figure of occurs) assert.ok(figures[figure]! > 0, `No ${figure}: ${again}`);
      }));
  }
}
