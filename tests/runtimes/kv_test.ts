/** Both contracts on Deno KV, with the package `@deno/kv`. */

import assert from "node:assert/strict";
import { runTests, TEST_RUNTIMES } from "../support/runtimes.ts";
import { testUnless } from "../support/system/commands.ts";

const FILES = ["./tests/contract/store_test.ts", "./tests/contract/http_test.ts"];

for (const runtime of TEST_RUNTIMES) {
  testUnless(runtime.skip)(`both contracts are kept on Deno KV on ${runtime.name}`, async () => {
    const passed = await runTests(runtime, FILES, { pattern: "Deno KV", env: { PETSTORE_TEST_KV: "1" } });
    const countOf = (start: string) => passed.filter((name) => name.startsWith(start)).length;
    assert.ok(countOf("a Deno KV store ") > 35, passed.join("\n"));
    assert.ok(countOf("in-process, Deno KV store: ") > 70, passed.join("\n"));
  });
}
