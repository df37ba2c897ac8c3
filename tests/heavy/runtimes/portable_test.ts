/**
 * The tests that use only what every runtime has and that a runtime can change: Node and Bun run
 * the same files as Deno.
 */

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { normalize } from "node:path";
import { ROOT } from "../../support/pages.ts";
import { NODE_TEST, runTests, TEST_RUNTIMES } from "../../support/runtimes.ts";
import { testUnless } from "../../support/system/commands.ts";
import { NODES } from "../package/support/runtimes.ts";

/**
 * Tests of the order of events in models, and of a store that is no part of the library; of a
 * runtime that is none of them, and of modules that are loaded twice, which Bun does not do.
 */
const SAME_EVERYWHERE = /\/(worker_keys|key_cache|key_cache_model|documented_store|runtime)_test\.ts$/;

/** Whole folders, and tests in folders whose other tests need Deno. */
const PORTABLE = [
  "./tests/contract/**/*_test.ts",
  "./tests/security/**/*_test.ts",
  "./tests/stores/**/*_test.ts",
  "./tests/unit/**/*_test.ts",
  "./packages/client/tests/*_test.ts",
  "./tools/reliability/fuzz/handle_test.ts",
];

/** Paths relative to the root, `./` included. */
const PORTABLE_TESTS = PORTABLE.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).sort())
  .map((path) => `./${normalize(path)}`).filter((path) => !SAME_EVERYWHERE.test(path));

/**
 * What Node has of its own: SQLite, threads and `fetch`. It has the engine of Deno, so the HTTP
 * contract would show nothing new.
 */
const OF_NODE = /^\.\/(tests\/(stores\/|contract\/store_)|packages\/client\/tests\/(responses|hostile)_)/;

/**
 * Units and the SQLite store: for them, the oldest Node may lack something. It does not know
 * `using`, which the other files have.
 */
const OF_OLDEST_NODE = /^\.\/tests\/(unit|stores\/sqlite)\/(?!changes|commit|locks|transfer|writer)/;

const [NODE_24, BUN] = TEST_RUNTIMES;

/** Which of the portable tests show something new on a runtime. */
const RUNS = [
  { ...NODES[0]!, args: NODE_TEST, shown: OF_OLDEST_NODE },
  { ...NODE_24!, shown: OF_NODE },
  { ...BUN!, shown: /./ },
];

// Node 22 removes types if it is told to; in the environment, so that child processes have it too.
// The others accept it.
const env = { NODE_OPTIONS: "--experimental-strip-types" };

for (const { shown, skip, ...runtime } of RUNS) {
  testUnless(skip)(`the portable tests pass on ${runtime.name}`, async () => {
    const { length } = await runTests(runtime, PORTABLE_TESTS.filter((path) => shown.test(path)), { env });
    assert.ok(length > 100, `only ${length} tests were run`);
    console.log(`${runtime.name}: ${length} tests passed`);
  });
}
