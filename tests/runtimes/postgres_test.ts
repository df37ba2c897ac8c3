import assert from "node:assert/strict";
import { postgresUrl, whyNoPostgres } from "../support/postgres/postgres.ts";
import { runTests, TEST_RUNTIMES } from "../support/runtimes.ts";
import { testUnless } from "../support/system/commands.ts";

const FILES = ["./tests/contract/store_test.ts", "./tests/postgres/patience_test.ts"];
/** Leaves the cases on other stores out. */
const PATTERN = "^(?!an? (memory|SQLite|Deno KV))";

for (const runtime of TEST_RUNTIMES) {
  testUnless(whyNoPostgres() || runtime.skip)(
    `the store contract is kept on PostgreSQL, and what is given up is cancelled, on ${runtime.name}`,
    async () => {
      const env = { PETSTORE_TEST_POSTGRES: await postgresUrl() };
      const passed = await runTests(runtime, FILES, { pattern: PATTERN, env });
      for (const driver of ["node-postgres", "postgres.js"]) {
        const { length } = passed.filter((name) => name.includes(`PostgreSQL (${driver})`));
        assert.ok(length > 40, `${driver}: only ${length} tests were run`);
      }
    },
  );
}
