/** The portable tests on Node and on Bun: the same files as on Deno. */

import assert from "node:assert/strict";
import { PORTABLE_TESTS } from "../../support/portable_tests.ts";
import { runTests, TEST_RUNTIMES } from "../../support/runtimes.ts";
import { testUnless } from "../../support/system/commands.ts";

/**
 * What Node has of its own: SQLite, threads and `fetch`. It has the engine of Deno, so the HTTP contract would show nothing new. The tests
 * of units run on the oldest Node, in tests/heavy/package, because that one may lack something.
 */
const SHOWN_ON_NODE = /^\.\/(tests\/(stores\/|contract\/store_)|packages\/client\/tests\/(network|hostile)_)/;

for (const runtime of TEST_RUNTIMES) {
  testUnless(runtime.skip)(`the portable tests pass on ${runtime.name}`, async () => {
    const files = PORTABLE_TESTS.filter((path) => runtime.name === "Bun" || SHOWN_ON_NODE.test(path));
    const { length } = await runTests(runtime, files);
    assert.ok(length > 200, `only ${length} tests were run`);
    console.log(`${runtime.name}: ${length} tests passed`);
  });
}
