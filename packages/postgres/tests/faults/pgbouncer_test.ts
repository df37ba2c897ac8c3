import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { NO_PGBOUNCER, withPooler } from "../../../../tests/support/postgres/pgbouncer.ts";
import { withDatabase } from "../../../../tests/support/postgres/servers.ts";
import { Child } from "../../../../tests/support/system/child.ts";
import { makeDrafts, toNdjson } from "../../../../tests/support/server/pet_files.ts";
import { inFolder, runHere } from "../../../../tests/support/server/in_process.ts";
import { testUnless, testWith } from "../../../../tests/support/test_with.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;
const test = testWith(withPgBouncer, testUnless(whyNoCluster() || NO_PGBOUNCER));

/** A PgBouncer with fewer connections than its clients have. */
function withPgBouncer(use: (url: string) => Promise<void>): Promise<void> {
  return withDatabase((direct) => withPooler(direct, use));
}

test("import and export work behind PgBouncer in transaction mode", (url) =>
  inFolder(async (folder) => {
    const env = { PETSTORE_STORE: `${url}?prepare=false` };
    const text = toNdjson(makeDrafts(9_000));
    writeFileSync(join(folder, "a.ndjson"), text);
    assert.equal((await runHere(["import", "a.ndjson"], env)).stdout, "a.ndjson: 9000 pets added\n");
    const { status, stdout } = await runHere(["export"], env);
    assert.equal(status, 0);
    assert.equal(stdout.replaceAll(/^\{"id":\d+,/gm, "{"), text);
  }));

const FILTER = "PostgreSQL";

test("the store keeps its contract behind PgBouncer in transaction mode", async (url) => {
  const env = { PETSTORE_TEST_POSTGRES: `${url}?prepare=false` };
  const args = ["test", "-A", "--no-check", `--filter=${FILTER}`, "tests/contract/store_test.ts"];
  const child = new Child(Deno.execPath(), args, { cwd: ROOT, env });
  const status = await child.ended;
  const output = child.written.stdout + child.written.stderr;
  assert.equal(status, 0, output.slice(-3000));
  const count = output.split("\n").filter((line) => line.includes(FILTER)).length;
  assert.ok(count > 20, `only ${count} tests were run`);
});
