/** docs/petstore-postgres.service: its command serves with the granted permissions and ends as systemd expects. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { kill, whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { environment } from "../../../../tests/support/server/serve_task.ts";
import { addPet, serverAt } from "../../../../tests/support/server/server_process.ts";
import { withTempFolder } from "../../../../tests/support/temp.ts";
import { readUnit, started, startUnit } from "../../../../tests/support/server/unit.ts";
import { withCluster } from "../../../../tests/support/postgres/servers.ts";
import { KEY } from "../../../../tests/support/server/ledger.ts";
import type { Child } from "../../../../tests/support/system/child.ts";
import { command, testUnless } from "../../../../tests/support/system/commands.ts";

const UNIT = "petstore-postgres.service";
const test = testUnless(whyNoCluster());

/** Puts the driver into Deno's cache with the command of docs/production.md. */
function cacheDriver(): void {
  const page = readFileSync(new URL("../../../../docs/production.md", import.meta.url), "utf8");
  const [, words = ""] = /`cd \/opt\/petstore\s+&&\s+DENO_DIR=\S+\s+deno\s+(cache[^`]*)`/.exec(page) ?? [];
  // The tests run at the root of the checkout, as the page's command does.
  command(Deno.execPath(), ...words.split(/\s+/));
}

/** The unit's command with another database port and the tests' cached driver. */
function start(folder: string, databasePort: number, store: string): Child {
  assert.ok(readUnit(UNIT).includes("--allow-net=127.0.0.1:8000,127.0.0.1:9464,127.0.0.1:5432 "));
  const env = { ...environment(), PETSTORE_KEYS: KEY, PETSTORE_STORE: store };
  const change = (word: string) => word.replace(",127.0.0.1:5432", `,127.0.0.1:${databasePort}`);
  return startUnit(UNIT, { cwd: folder, env }, change);
}

test("the unit's command serves from PostgreSQL, writes no file, and ends with 0, or with 1 while it is away", () =>
  withCluster((cluster, url) =>
    withTempFolder(async (folder) => {
      cacheDriver();
      {
        await using child = start(folder, cluster.port, url);
        const port = await started(child);
        await addPet(serverAt(port), KEY);
        assert.equal(await child.stop(), 0);
      }
      assert.deepEqual([...Deno.readDirSync(folder)], []);
      kill(cluster);
      assert.equal(await start(folder, cluster.port, url).exit(), 1);
    })
  ));
