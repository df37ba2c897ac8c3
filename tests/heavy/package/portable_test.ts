/** Portable tests on the oldest and the newest Node; tests/heavy/runtimes runs the others between these and on Bun. */

import assert from "node:assert/strict";
import { PORTABLE_TESTS } from "../../support/portable_tests.ts";
import { NODE_TEST, runTests } from "../../support/runtimes.ts";
import { testUnless } from "../../support/system/commands.ts";
import { NODES } from "./support/runtimes.ts";

for (const { name, command, skip } of [NODES[0]!, NODES.at(-1)!]) {
  testUnless(skip)(`the portable tests of units and of the SQLite store pass on ${name}`, async () => {
    // In the environment, so that child processes have it too. Newer releases accept the flag although they do not need it.
    const env = { NODE_OPTIONS: "--experimental-strip-types" };
    const files = PORTABLE_TESTS.filter((path) => /^\.\/tests\/(unit\/|stores\/sqlite\/store_)/.test(path));
    const { length } = await runTests({ command, args: NODE_TEST }, files, { env });
    assert.ok(length > 100, `only ${length} tests were run`);
  });
}
