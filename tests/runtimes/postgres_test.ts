/** Both contracts on PostgreSQL, on Deno and Bun with the driver of the server, and on Node with each driver. */

import assert from "node:assert/strict";
import { testHttpContract, testStoreContract } from "../contract/contracts.ts";
import { IN_PROCESS } from "../support/api.ts";
import { postgresUrl, whyNoPostgres } from "../support/postgres/postgres.ts";
import { runTests, TEST_RUNTIMES } from "../support/runtimes.ts";
import { POSTGRES } from "../support/stores.ts";
import { testUnless } from "../support/system/commands.ts";

if (!whyNoPostgres()) {
  testStoreContract([POSTGRES]);
  testHttpContract(IN_PROCESS, [POSTGRES]);
}

const FILES = ["contract/store", "postgres/patience", "security/injection"]
  .map((name) => `./tests/${name}_test.ts`);
/** Leaves out the tests on other stores. */
const OTHERS = "memory|SQLite";

for (const runtime of TEST_RUNTIMES) {
  testUnless(whyNoPostgres() || runtime.skip)(
    `the store contract is kept on PostgreSQL, and what is given up is cancelled, on ${runtime.name}`,
    async () => {
      const env = { PETSTORE_TEST_POSTGRES: await postgresUrl() };
      const drivers = runtime.name === "Bun" ? ["postgres.js"] : ["node-postgres", "postgres.js"];
      const without = drivers.length === 1 ? `${OTHERS}|PostgreSQL \\(node-postgres` : OTHERS;
      const passed = await runTests(runtime, FILES, { pattern: `^(?!an? (${without})|(${without}))`, env });
      for (const driver of drivers) {
        const { length } = passed.filter((name) => name.includes(`PostgreSQL (${driver})`));
        assert.ok(length > 40, `${driver}: only ${length} tests were run`);
      }
    },
  );
}
