/** The portable tests that a runtime can change, on Node and on Bun: the same files as on Deno. */

import assert from "node:assert/strict";
import { PORTABLE_TESTS } from "../support/portable_tests.ts";
import { runTests, TEST_RUNTIMES } from "../support/runtimes.ts";
import { testUnless } from "../support/system/commands.ts";

/** Of the order of events in models, and of stores that are no part of the library. */
const SAME_EVERYWHERE = /\/(order|crew|postgres_commit|key_cache|documented_store|refutations)_test\.ts$/;

for (const runtime of TEST_RUNTIMES) {
  testUnless(runtime.skip)(`the portable tests pass on ${runtime.name}`, async () => {
    const { length } = await runTests(runtime, PORTABLE_TESTS.filter((path) => !SAME_EVERYWHERE.test(path)));
    assert.ok(length > 400, `only ${length} tests were run`);
    console.log(`${runtime.name}: ${length} tests passed`);
  });
}
