import assert from "node:assert/strict";
import { ROOT } from "../../../../tests/support/pages.ts";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { NO_PGBOUNCER, withPooler } from "../../../../tests/support/postgres/pgbouncer.ts";
import { withDatabase } from "../../../../tests/support/postgres/servers.ts";
import { Child } from "../../../../tests/support/system/child.ts";
import { testUnless } from "../../../../tests/support/test_with.ts";

const FILTER = "PostgreSQL";

testUnless(whyNoCluster() || NO_PGBOUNCER)(
  "the store keeps its contract behind PgBouncer in transaction mode",
  () =>
    withDatabase((direct) =>
      // PgBouncer has fewer connections than its clients.
      withPooler(direct, async (url) => {
        const env = { PETSTORE_TEST_POSTGRES: `${url}?prepare=false` };
        const args = ["test", "-A", "--no-check", `--filter=${FILTER}`, "tests/contract/store_test.ts"];
        const child = new Child(Deno.execPath(), args, { cwd: ROOT, env });
        const status = await child.ended;
        const output = child.written.stdout + child.written.stderr;
        assert.equal(status, 0, output.slice(-3000));
        const count = output.split("\n").filter((line) => line.includes(FILTER)).length;
        assert.ok(count > 20, `only ${count} tests were run`);
      })
    ),
);
