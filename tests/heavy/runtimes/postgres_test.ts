/** Runs both contracts on PostgreSQL on Deno, and the store contract on Node and Bun. */

import assert from "node:assert/strict";
import { openOnOwnPool } from "../../../packages/postgres/lib/own_pool.ts";
import { postgresGrants, postgresSchema } from "../../../packages/postgres/mod.ts";
import { testHttpContract, testStoreContract } from "../../contract/contracts.ts";
import { IN_PROCESS } from "../../support/api.ts";
import { connect, postgresUrl, runSql, whyNoPostgres } from "../../support/postgres/postgres.ts";
import { runTests, TEST_RUNTIMES } from "../../support/runtimes.ts";
import { POSTGRES, type StoreKind } from "../../support/stores.ts";
import { testUnless } from "../../support/system/commands.ts";

/** PostgreSQL with tables of an administrator, for a role that has nothing but the grants that `petstore` prints. */
function postgresRoleKind(): StoreKind {
  /** Who makes the tables and the role of a namespace: its first store, for which others wait. */
  const prepared = new Map<string, Promise<void>>();
  const roleOf = (namespace: string) => `role_${namespace}`;

  async function prepare(namespace: string): Promise<void> {
    const role = `"${roleOf(namespace)}"`;
    const sql = [`CREATE ROLE ${role} LOGIN PASSWORD 'pw'`, postgresSchema(namespace), postgresGrants(role, namespace)];
    // By default every role may run a new function; the grants must suffice without that.
    await runSql(
      await postgresUrl(),
      `${sql.join("; ")}; REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA "${namespace}" FROM PUBLIC`,
    );
  }

  return {
    ...POSTGRES,
    name: "PostgreSQL (as a role with the printed grants)",
    isVariant: true,
    async open(namespace) {
      if (!prepared.has(namespace)) prepared.set(namespace, prepare(namespace));
      await prepared.get(namespace);
      const url = Object.assign(new URL(await postgresUrl()), { username: roleOf(namespace), password: "pw" }).href;
      return await openOnOwnPool(connect(url, namespace), { schema: namespace });
    },
    async remove(namespace) {
      if (!prepared.delete(namespace)) return;
      const role = `"${roleOf(namespace)}"`;
      await runSql(
        await postgresUrl(),
        `DROP SCHEMA IF EXISTS "${namespace}" CASCADE; DROP OWNED BY ${role}; DROP ROLE ${role}`,
      );
    },
  };
}

if (!whyNoPostgres()) {
  // The role has the printed grants alone, so it may do no more than the owner of the tables.
  await testStoreContract([postgresRoleKind()]);
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
      assert.ok(length > 35, `only ${length} tests were run`);
    },
  );
}
