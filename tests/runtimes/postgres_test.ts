/** Both contracts on PostgreSQL, on Deno with the driver of the server, and the store contract on Node and Bun with a driver each. */

import assert from "node:assert/strict";
import { testHttpContract, testStoreContract } from "../contract/contracts.ts";
import { IN_PROCESS } from "../support/api.ts";
import { DRIVERS, postgresUrl, whyNoPostgres } from "../support/postgres/postgres.ts";
import { runTests, TEST_RUNTIMES } from "../support/runtimes.ts";
import { POSTGRES } from "../support/stores.ts";
import { testUnless } from "../support/system/commands.ts";

if (!whyNoPostgres()) {
  await testStoreContract([POSTGRES]);
  testHttpContract(IN_PROCESS, [POSTGRES]);
}

const FILES = ["contract/store", "postgres/patience", "security/injection"]
  .map((name) => `./tests/${name}_test.ts`);

for (const [i, runtime] of TEST_RUNTIMES.entries()) {
  testUnless(whyNoPostgres() || runtime.skip)(
    `the store contract is kept on PostgreSQL, and what is given up is cancelled, on ${runtime.name}`,
    async () => {
      const env = { PETSTORE_TEST_POSTGRES: await postgresUrl() };
      const [driver, other] = i === 0 ? DRIVERS : DRIVERS.toReversed();
      // Leaves out the tests on other stores.
      const without = `memory store|SQLite|PostgreSQL \\(${other!.name}`;
      const passed = await runTests(runtime, FILES, { without, env });
      const { length } = passed.filter((name) => name.includes(`PostgreSQL (${driver!.name})`));
      assert.ok(length > 40, `${driver!.name}: only ${length} tests were run`);
    },
  );
}
