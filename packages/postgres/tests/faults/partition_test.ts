/** The SQL of docs/scaling.md that partitions the table, applied to one that has pets. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createPostgresStore } from "../../mod.ts";
import { statementsFor } from "../../lib/statements.ts";
import { runSql, withPool } from "../../../../tests/support/postgres/postgres.ts";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { PET, withDatabase } from "../../../../tests/support/postgres/servers.ts";
import { runHere } from "../../../../tests/support/server/in_process.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster());

/** The SQL of the page, with partitions of a hundred pets instead of a billion. */
function partitionSql(): string {
  const page = readFileSync(new URL("../../../../docs/scaling.md", import.meta.url), "utf8");
  const [, sql = ""] = /```sql\n(BEGIN;[^]*?COMMIT;)\n```/.exec(page) ?? [];
  return sql.replaceAll("000000001", "01");
}

test("a partitioned table continues its ids, and pages cross its partitions", () =>
  withDatabase((url) =>
    withPool(url, async (client) => {
      const fill = async (count: number) => {
        const store = await createPostgresStore(client);
        for (let i = 0; i < count; i++) await store.create(PET);
        return store;
      };
      await (await fill(90)).close();
      await runSql(url, partitionSql());
      const store = await fill(90);
      for (const status of [undefined, "sold"] as const) {
        const page = await store.list({ after: 80n, limit: 50, ...(status && { status }) });
        const ids = (JSON.parse(page.json) as { id: number }[]).map(({ id }) => id);
        assert.deepEqual(ids, Array.from({ length: 50 }, (_, i) => 81 + i));
        assert.equal(page.next, 130n);
      }
      assert.match(await store.get(150n) ?? "", /^{"id":150,/);
      assert.deepEqual(await runSql(url, "SELECT count(*) FROM petstore.pets_1"), [["100"]]);
      const { all } = statementsFor("petstore");
      const plan = await runSql(url, `PREPARE p AS ${all}; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE p(10, 21)`);
      const text = plan.flat(2).join("\n");
      // Parts that the page does not reach are not read.
      assert.match(text, /pets_2[^\n]*never executed/);
      assert.equal((await runHere(["check"], { PETSTORE_STORE: url })).stderr, "");
      await store.close();
    })
  ));
