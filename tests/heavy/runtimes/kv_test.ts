/** The store contract on Deno KV with the package `@deno/kv`. */

import assert from "node:assert/strict";
import { runTests, TEST_RUNTIMES } from "../../support/runtimes.ts";
import { testUnless } from "../../support/system/commands.ts";

/** The HTTP contract, and a KV in memory. */
const SHOWN_ON_DENO = "in-process|Deno KV in memory";

for (const runtime of TEST_RUNTIMES) {
  testUnless(runtime.skip)(`the store contract is kept on Deno KV on ${runtime.name}`, async () => {
    const passed = await runTests(runtime, ["./packages/edge/tests/kv/contract_test.ts"], { without: SHOWN_ON_DENO });
    assert.ok(passed.filter((name) => name.startsWith("a Deno KV store ")).length > 25, passed.join("\n"));
  });
}
