/** The portable tests on Node and on Bun: the same files as on Deno. */

import assert from "node:assert/strict";
import { PORTABLE_TESTS } from "../../support/portable_tests.ts";
import { runTests, TEST_RUNTIMES } from "../../support/runtimes.ts";
import { testUnless } from "../../support/system/commands.ts";

for (const runtime of TEST_RUNTIMES) {
  testUnless(runtime.skip)(`the portable tests pass on ${runtime.name}`, async () => {
    // Those of units run on the oldest and the newest Node, in tests/heavy/package.
    const files = PORTABLE_TESTS.filter((path) => runtime.name === "Bun" || !path.startsWith("./tests/unit/"));
    const { length } = await runTests(runtime, files);
    assert.ok(length > 200, `only ${length} tests were run`);
    console.log(`${runtime.name}: ${length} tests passed`);
  });
}
