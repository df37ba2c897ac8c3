/** The portable tests on the oldest and the newest Node; tests/runtimes runs them on the other runtimes. */

import assert from "node:assert/strict";
import { PORTABLE_TESTS } from "../support/portable_tests.ts";
import { NODE_TEST, runTests } from "../support/runtimes.ts";
import { testUnless } from "../support/system/commands.ts";
import { NODES } from "./support/runtimes.ts";

for (const { name, command, skip } of [NODES[0]!, NODES.at(-1)!]) {
  testUnless(skip)(`every portable test passes on ${name}`, async () => {
    // In the environment, so that child processes have it too. Newer releases accept the flag although they do not need it.
    const env = { NODE_OPTIONS: "--experimental-strip-types" };
    const { length } = await runTests({ command, args: NODE_TEST }, PORTABLE_TESTS, { env });
    assert.ok(length > 900, `only ${length} tests were run`);
    console.log(`${name}: ${length} tests passed`);
  });
}
