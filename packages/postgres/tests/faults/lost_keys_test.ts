/** The commands that change API keys, when the connection is lost before PostgreSQL has answered. */

import assert from "node:assert/strict";
import { postgresSchema } from "../../mod.ts";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { withProxy } from "../../../../tests/support/postgres/proxy.ts";
import { withDatabase } from "../../../../tests/support/postgres/servers.ts";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { runHere } from "../../../../tests/support/server/in_process.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster());

test("a command that loses its connection while PostgreSQL changes the keys says that the change may have been made", () =>
  withDatabase((url, port) =>
    withProxy(port, async (proxy) => {
      await runSql(url, postgresSchema());
      const env = { PETSTORE_STORE: Object.assign(new URL(url), { port: String(proxy.port) }).href };
      /** Runs a command whose statement PostgreSQL carries out, and whose answer is lost. */
      const run = async (within: string, ...args: string[]) => {
        proxy.follow([{ side: "server", bytes: 0, within, effect: "end" }]);
        const { status, stderr } = await runHere(["keys", ...args], env);
        assert.notEqual(status, 0);
        assert.match(stderr, /^petstore: .*; the change of the keys may have been stored\n$/);
        return /^petstore: The printed key is valid if .* keys list shows (key-\w+): /.exec(stderr)?.[1] ?? "";
      };
      const first = await run("added AS (INSERT", "add", "--label=ci");
      const second = await run("added AS (INSERT", "rotate", first);
      await run("revoked AS (UPDATE", "revoke", first);
      const keys = "SELECT id, revoked_at IS NULL FROM petstore.api_keys ORDER BY position";
      assert.deepEqual(await runSql(url, keys), [[first, "false"], [second, "true"]]);
    })
  ));
