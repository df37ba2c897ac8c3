import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { Child } from "../../../../tests/support/system/child.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster());
const TOOL = fileURLToPath(new URL("../../../../tools/reliability/main.ts", import.meta.url));

test("SIGKILL to four servers, or to their PostgreSQL, loses nothing, doubles nothing and hides nothing", async () => {
  const options = ["crash", "--store", "postgres", "--rounds", "3", "--within", "150"];
  await using child = new Child(Deno.execPath(), ["run", "--allow-all", TOOL, ...options]);
  const status = await child.ended;
  const { stdout, stderr } = child.written;
  assert.equal(status, 0, stdout + stderr);
  for (const figure of ["acknowledged", "creates in flight"]) assert.match(stdout, new RegExp(`${figure} +[1-9]`));
});
