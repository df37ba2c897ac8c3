/** The tests of the store on Deno KV that start no process, with the package `@deno/kv`. */

import assert from "node:assert/strict";
import { runTests, TEST_RUNTIMES } from "../support/runtimes.ts";
import { testUnless } from "../support/system/commands.ts";

const FILES = ["contract", "commit", "order", "store"].map((name) => `./tests/kv/${name}_test.ts`);

for (const runtime of TEST_RUNTIMES) {
  testUnless(runtime.skip)(`both contracts are kept on Deno KV on ${runtime.name}`, async () => {
    const passed = await runTests(runtime, FILES);
    const countOf = (start: string) => passed.filter((name) => name.startsWith(start)).length;
    assert.ok(countOf("a Deno KV store ") > 35, passed.join("\n"));
    assert.ok(countOf("in-process, Deno KV store: ") > 10, passed.join("\n"));
  });
}
