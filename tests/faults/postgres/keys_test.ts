/** Keys in PostgreSQL: servers that share it follow the commands, and a table that does not answer ends a start. */

import assert from "node:assert/strict";
import { withLockedTable } from "../../support/postgres/lock.ts";
import { whyNoPostgres, withSchema } from "../../support/postgres/postgres.ts";
import {
  readKey,
  runCommand,
  runServer,
  type ServerExit,
  type ServerProcess,
  withServer,
} from "../../support/server/server_process.ts";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { until } from "../../support/until.ts";

const test = testUnless(whyNoPostgres());

type Run = (...args: string[]) => Promise<ServerExit>;

interface Place {
  url: string;
  schema: string;
  env: Record<string, string>;
  folder: string;
  keys: Run;
}

function withPlace(use: (place: Place) => Promise<void>): Promise<void> {
  return withSchema((url, schema) =>
    withTempFolder((folder) => {
      const env = { PETSTORE_STORE: `${url}?schema=${schema}` };
      return use({ url, schema, env, folder, keys: (...args) => runCommand(folder, ["keys", ...args], env) });
    })
  );
}

async function follow(servers: readonly ServerProcess[], key: string, status: number): Promise<void> {
  for (const { ask } of servers) await until(`${status}`, async () => (await ask("/v1/pets", key)).status === status);
}

test("two servers on one PostgreSQL share the first key, and follow keys that are added and revoked", () =>
  withPlace(({ env, folder, keys }) =>
    withServer(folder, { env }, (one) =>
      withServer(folder, { env }, async (two) => {
        const servers = [one, two], first = readKey(folder);
        assert.deepEqual(servers.map(({ written }) => written.stdout.includes(first)), [true, false]);
        await follow(servers, first, 200);
        const added = (await keys("add", "--label=ci")).stdout.trim();
        await follow(servers, added, 200);
        assert.equal((await keys("revoke", added)).status, 0);
        await follow(servers, added, 401);
      }))
  ));

test("while PostgreSQL does not answer, a command and a start end with status 1", () =>
  withPlace(async ({ url, schema, env, folder, keys }) => {
    await keys("add", "--label=ci");
    await withLockedTable(url, `${schema}.api_keys`, async () => {
      const [listed, started] = await Promise.all([keys("list"), runServer(folder, { env })]);
      assert.match(listed.stderr, /^petstore: The API keys cannot be used: PostgreSQL has not answered/);
      assert.match(started.stderr, /^petstore: The API keys of the store cannot be used: PostgreSQL has not answered/);
      assert.deepEqual([listed.status, started.status], [1, 1]);
    });
  }));
