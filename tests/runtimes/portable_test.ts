/** The portable tests, every one, on Node and on Bun: the same files as on Deno. */

import assert from "node:assert/strict";
import { PORTABLE_TESTS } from "../support/portable_tests.ts";
import { runTests, TEST_RUNTIMES } from "../support/runtimes.ts";
import { testUnless } from "../support/system/commands.ts";

for (const runtime of TEST_RUNTIMES) {
  testUnless(runtime.skip)(`every portable test passes on ${runtime.name}`, async () => {
    const { length } = await runTests(runtime, PORTABLE_TESTS);
    assert.ok(length > 500, `only ${length} tests were run`);
    console.log(`${runtime.name}: ${length} tests passed`);
  });
}
