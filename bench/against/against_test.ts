/** `deno task bench --against REF`: its command line, and what it makes of figures. */

import assert from "node:assert/strict";
import test from "node:test";
import { readFlags } from "./checkout.ts";
import { chanceOfNoise, changeOf, formatComparisons, type Sample } from "./compare.ts";
import { readAgainstOptions } from "./options.ts";
import { taskFlags } from "../../tests/support/server/serve_task.ts";

test("bench --against measures all parts and requests, or those that --only names", () => {
  const all = readAgainstOptions(["--against", "main"]);
  assert.deepEqual([all.ref, all.rounds, all.parts.length, all.requests.length], ["main", 9, 3, 5]);
  const some = readAgainstOptions(["--rounds=2", "--only", "create", "--against=main~1", "--only", "library"]);
  assert.deepEqual(some, { ref: "main~1", rounds: 2, parts: ["library"], requests: ["create"] });
  for (
    const [args, expected] of [
      [["--against="], /needs a commit/],
      [["--against", "main", "--only", "post"], /^--only must be one of server, library, .*, not post$/],
      [["--against", "main", "--rounds", "0"], /^--rounds must be a whole number from 1/],
      [["--against", "main", "--quick"], /--quick/],
    ] as const
  ) assert.throws(() => readAgainstOptions(args), { message: expected });
});

test("bench --against takes the flags of the server from the task of its commit, whatever its name was", () => {
  const config = Deno.readTextFileSync(new URL("../../deno.json", import.meta.url));
  assert.deepEqual(readFlags(config), taskFlags());
  const earlier = { serve: { command: "deno run --no-prompt --allow-net server.ts" } };
  assert.deepEqual(readFlags(JSON.stringify({ tasks: earlier })), ["--no-prompt", "--allow-net"]);
  assert.deepEqual(readFlags(JSON.stringify({ tasks: { serve: "deno run server.ts" } })), []);
  assert.equal(readFlags(JSON.stringify({ tasks: { serve: "deno run main.ts" } })), undefined);
  assert.equal(readFlags("{}"), undefined);
});

test("a difference is clear if nearly all rounds lean to one side by more than two percent", () => {
  const before = [100, 104, 97, 101, 99, 103, 98, 100];
  const times = (factors: readonly number[]) => before.map((figure, round) => figure * factors[round]!);
  const slower = changeOf(before, times([0.9, 0.95, 0.88, 0.97, 0.93, 0.9, 0.91, 0.94]));
  assert.ok(slower.isClear);
  assert.deepEqual([slower.low, slower.median, slower.high].map((ratio) => ratio.toFixed(3)), [
    "0.880",
    "0.920",
    "0.970",
  ]);
  // One round that leans a little to the other side changes nothing, one that leans far does.
  assert.ok(changeOf(before, times([0.9, 0.95, 0.88, 1.01, 0.93, 0.9, 0.91, 0.94])).isClear);
  assert.ok(!changeOf(before, times([0.9, 0.95, 0.88, 1.3, 0.93, 0.9, 0.91, 0.94])).isClear);
  assert.ok(!changeOf(before, times([1.01, 1.01, 1.02, 1.01, 1.01, 1.01, 1.01, 1.01])).isClear);
  assert.ok(!changeOf(before.slice(0, 6), times([1.2, 1.3, 1.2, 1.1, 1.2, 1.4]).slice(0, 6)).isClear);
  assert.ok(!changeOf(before, before).isClear);
});

test("the chance of noise is that of Wilcoxon's signed-rank test", () => {
  assert.equal(chanceOfNoise([2, 3, 4, 5, 6, 7, 8]), 2 / 2 ** 7);
  assert.equal(chanceOfNoise([1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6, 1 / 7, 1 / 8]), 2 / 2 ** 7);
  // Negative ranks 1 and 3: of the 256 ways to give signs, 7 have a sum of at most 4, on each side.
  assert.equal(chanceOfNoise([1 / 2, 3, 1 / 4, 5, 6, 7, 8, 9]), 2 * 7 / 2 ** 8);
  assert.equal(chanceOfNoise([2, 1 / 2]), 1);
  assert.equal(chanceOfNoise([1, 1]), 1);
});

test("the table shows each figure beside the other commit's, and marks what is clear", () => {
  const samples = (rate: number, processor: number): Sample[] =>
    Array.from({ length: 7 }, (_, round) => ({ rate: rate + round, processor: processor + round / 100 }));
  const same = { what: "GET one", before: samples(5000, 30), after: samples(5000, 30) };
  const changed = { what: "create", before: samples(1000, 40), after: samples(900, 30) };
  const text = formatComparisons("v1", "this tree", [same, changed]).replaceAll(/ +/g, " ");
  assert.match(text, /^GET one 5,000 1\.00 1\.00 to 1\.00 ~ 30 µs 1\.00 1\.00 to 1\.00 ~$/m);
  assert.match(text, /^create 900 0\.90 0\.90 to 0\.90 slower 30 µs 0\.75 0\.75 to 0\.75 less$/m);
  assert.match(text, /^this tree beside v1: medians of 7 rounds/m);
  assert.doesNotMatch(text, /So few rounds/);
  const few = { ...same, before: same.before.slice(1), after: same.after.slice(1) };
  assert.match(formatComparisons("v1", "this tree", [few]), /So few rounds make nothing clear: it takes 7\./);
});
