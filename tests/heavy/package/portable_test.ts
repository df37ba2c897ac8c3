/** Portable tests on the oldest Node, which may lack something; tests/heavy/runtimes runs others on Node 24 and on Bun. */

import assert from "node:assert/strict";
import { PORTABLE_TESTS } from "../../support/portable_tests.ts";
import { NODE_TEST, runTests } from "../../support/runtimes.ts";
import { testUnless } from "../../support/system/commands.ts";
import { NODES } from "./support/runtimes.ts";

const { name, command, skip } = NODES[0]!;

testUnless(skip)(`the portable tests of units and of the SQLite store pass on ${name}`, async () => {
  // In the environment, so that child processes have it too. Newer releases accept the flag although they do not need it.
  const env = { NODE_OPTIONS: "--experimental-strip-types" };
  const files = PORTABLE_TESTS.filter((path) => /^\.\/tests\/(unit\/|stores\/sqlite\/store_)/.test(path));
  const { length } = await runTests({ command, args: NODE_TEST }, files, { env });
  assert.ok(length > 100, `only ${length} tests were run`);
});
