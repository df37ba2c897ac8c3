/**
 * The tests of `createNodeListener()` on Node. Deno's `node:http` is not Node's: of slips in the
 * listener, some show on Node alone. The other tests of units run on Node in tests/heavy.
 */

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { ROOT } from "../support/pages.ts";
import { runTests, TEST_RUNTIMES } from "../support/runtimes.ts";
import { testUnless } from "../support/system/commands.ts";

const FILES = globSync("tests/unit/{node,app}_*_test.ts", { cwd: ROOT }).sort().map((path) => `./${path}`);

const [node] = TEST_RUNTIMES;
assert.ok(node);

testUnless(node.skip)(`the tests of createNodeListener() and of an app's responses pass on ${node.name}`, async () => {
  const { length } = await runTests(node, FILES);
  assert.ok(length > 50, `only ${length} tests were run`);
});
