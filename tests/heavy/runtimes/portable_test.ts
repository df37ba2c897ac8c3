/** The portable tests on Node and on Bun: the same files as on Deno. */

import assert from "node:assert/strict";
import { NODE_TEST, runTests, TEST_RUNTIMES } from "../../support/runtimes.ts";
import { PORTABLE_TESTS } from "../../support/portable_tests.ts";
import { testUnless } from "../../support/system/commands.ts";
import { NODES } from "../package/support/runtimes.ts";

/**
 * What Node has of its own: SQLite, threads and `fetch`. It has the engine of Deno, so the HTTP contract would show nothing new.
 */
const OF_NODE = /^\.\/(tests\/(stores\/|contract\/store_)|packages\/client\/tests\/(network|hostile)_)/;

/** Units and the SQLite store: for them, the oldest Node may lack something. */
const OF_OLDEST_NODE = /^\.\/tests\/(unit\/|stores\/sqlite\/store_)/;

const [NODE_24, BUN] = TEST_RUNTIMES;

/** Which of the portable tests show something new on a runtime. */
const RUNS = [
  { ...NODES[0]!, args: NODE_TEST, shown: OF_OLDEST_NODE },
  { ...NODE_24!, shown: OF_NODE },
  { ...BUN!, shown: /./ },
];

// Node 22 removes types if it is told to; in the environment, so that child processes have it too. The others accept it.
const env = { NODE_OPTIONS: "--experimental-strip-types" };

for (const { shown, skip, ...runtime } of RUNS) {
  testUnless(skip)(`the portable tests pass on ${runtime.name}`, async () => {
    const { length } = await runTests(runtime, PORTABLE_TESTS.filter((path) => shown.test(path)), { env });
    assert.ok(length > 100, `only ${length} tests were run`);
    console.log(`${runtime.name}: ${length} tests passed`);
  });
}
