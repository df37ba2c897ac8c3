import assert from "node:assert/strict";
import { MOUNT_SKIP, withTmpfs } from "../../../../tests/support/system/disk.ts";
import type { ServerProcess } from "../../../../tests/support/server/server_process.ts";
import { pidOf, startAgain, whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { KEY, underLoad, untilAnswered, withCluster, withServers } from "../../../../tests/support/postgres/servers.ts";
import { until } from "../../../../tests/support/until.ts";
import { command, testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster() || MOUNT_SKIP);

/** Small pieces of log, so that it needs new ones soon. */
const SETTINGS = ["max_wal_size=8MB", "min_wal_size=2MB"];
const OPTIONS = { flags: ["--wal-segsize=1"] };

test("a full disk refuses creates with 503 and loses no acknowledged pet, and all recovers when there is room again", () =>
  withTmpfs("400m", (disk) => {
    command("chmod", "755", disk);
    return withCluster(
      (cluster, url) =>
        withServers(url, 2, async (servers) => {
          const [server] = servers as [ServerProcess];
          await underLoad(url, servers, 8, async (ledger) => {
            const ballast = `${disk}/ballast`;
            new Deno.Command("dd", { args: ["if=/dev/zero", `of=${ballast}`, "bs=64k"], stderr: "null" }).outputSync();
            const create = (name: string) => ledger.send(server, name, name);
            let refusal = await create("Rex");
            for (let i = 0; refusal.status === 201; i++) refusal = await create(`Rex ${i}`.padEnd(250, "x"));
            assert.deepEqual([refusal.status, JSON.parse(refusal.text).code], [503, "store_unavailable"]);
            assert.equal(refusal.headers.get("retry-after"), "5");
            assert.equal((await server.ask("/livez", null)).status, 200);
            // PostgreSQL may go on without writing, may have ended, or may just be doing so: /readyz says which.
            await until("a list that is there if the server is ready", async () => {
              const { status } = await server.ask("/v1/pets", KEY);
              assert.ok(status === 200 || status === 503, String(status));
              return status === (await server.ask("/readyz", null)).status;
            });
            Deno.removeSync(ballast);
            await until("the database again", async () => {
              // It may be ending just now.
              if (pidOf(cluster) === undefined) startAgain(cluster, SETTINGS);
              return (await server.ask("/readyz", null)).status === 200;
            });
            for (const each of servers) await untilAnswered(each, "/readyz", 200);
            while ((await create("Bo")).status !== 201);
            assert.ok(ledger.refused > 1, "No create was hit");
          }, "x".repeat(200));
        }),
      SETTINGS,
      { ...OPTIONS, parent: disk },
    );
  }));
