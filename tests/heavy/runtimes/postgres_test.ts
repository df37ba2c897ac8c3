/** Runs both contracts on PostgreSQL on Deno, and the store contract on Node and Bun. */

import assert from "node:assert/strict";
import { testHttpContract, testStoreContract } from "../../contract/contracts.ts";
import { IN_PROCESS } from "../../support/api.ts";
import { postgresUrl, whyNoPostgres } from "../../support/postgres/postgres.ts";
import { runTests, TEST_RUNTIMES } from "../../support/runtimes.ts";
import { POSTGRES } from "../../support/stores.ts";
import { testUnless } from "../../support/system/commands.ts";

if (!whyNoPostgres()) {
  await testStoreContract([POSTGRES]);
  testHttpContract(IN_PROCESS, [POSTGRES]);
}

const FILES = ["tests/contract/store", "packages/postgres/tests/patience"].map((name) => `./${name}_test.ts`);

for (const runtime of TEST_RUNTIMES) {
  testUnless(whyNoPostgres() || runtime.skip)(
    `the store contract is kept on PostgreSQL, and what is given up is cancelled, on ${runtime.name}`,
    async () => {
      const env = { PETSTORE_TEST_POSTGRES: await postgresUrl() };
      // Leaves out the tests on other stores.
      const passed = await runTests(runtime, FILES, { without: "memory store|SQLite", env });
      const { length } = passed.filter((name) => name.includes("PostgreSQL"));
      assert.ok(length > 24, `only ${length} tests were run`);
    },
  );
}
