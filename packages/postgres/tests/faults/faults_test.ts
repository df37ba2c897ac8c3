import assert from "node:assert/strict";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { kill, startAgain, whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { Ledger } from "../../../../tests/support/server/ledger.ts";
import { until } from "../../../../tests/support/until.ts";
import {
  type Asked,
  countStored,
  createOnce,
  untilAnswered,
  withCluster,
  withDatabase,
  withOneServer,
  withServers,
} from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster());

/** Clients create during `use`. Afterwards the database must have exactly the acknowledged pets. */
async function underLoad(
  url: string,
  servers: readonly Asked[],
  clients: number,
  use: (ledger: Ledger) => Promise<void>,
  tag = "c",
): Promise<void> {
  const ledger = new Ledger();
  let isDone = false;
  const load = Promise.all(
    Array.from({ length: clients }, (_, i) => ledger.createOnAndOn(servers, `${tag}${i}`, () => isDone)),
  );
  await Promise.race([use(ledger), load]).finally(() => isDone = true);
  await load;
  const stored = await runSql(url, "SELECT name, id FROM petstore.pets ORDER BY id");
  assert.deepEqual(stored, ledger.inOrder().map(({ name, id }) => [name, String(id)]));
}

test("two servers survive a PostgreSQL that is killed under load, and no pet is lost or doubled", () =>
  withCluster((cluster, url) =>
    withServers(url, 2, async (servers) => {
      await underLoad(url, servers, 8, async ({ seen }) => {
        // Creates have been acknowledged.
        while (await countStored(url) < 50);
        kill(cluster);
        for (const server of servers) {
          await untilAnswered(server, "/readyz", 503);
          const list = await server.ask("/v1/pets", "k");
          assert.deepEqual([list.status, list.headers.get("retry-after")], [503, "5"]);
          assert.equal((await server.ask("/livez", null)).status, 200);
        }
        startAgain(cluster);
        for (const server of servers) await untilAnswered(server, "/readyz", 200);
        assert.deepEqual([...seen.keys()].sort(), [201, 503], "No create was hit");
      });
      for (const server of servers) {
        assert.equal(await server.stop(), 0);
        const written = server.written.stdout + server.written.stderr;
        assert.ok(written.includes("PostgreSQL: ") && !/hunter2|PostgreSQL:0|undefined/.test(written), written);
        assert.match(written, /^ {2}store {8}postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres( \(new\))?$/m);
      }
    })
  ));

/** Ends a server's connections. Resolves when their sessions are gone: until then, a request may still get one of them. */
async function cutConnections(url: string): Promise<void> {
  const cut = "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore' " +
    "AND datname = current_database()";
  const pids = (await runSql(url, cut)).map(([pid]) => pid);
  const left = `SELECT count(*) FROM pg_stat_activity WHERE pid = ANY ('{${pids}}')`;
  await until("the end of the sessions", async () => (await runSql(url, left))[0]?.[0] === "0");
}

test("a server replaces cut connections, and a read-only database refuses only creates, with 503", () =>
  withDatabase((url) =>
    withOneServer(url, async (server) => {
      const database = new URL(url).pathname.slice(1);
      const create = async () => (await createOnce(server, crypto.randomUUID())).status;
      assert.equal(await create(), 201);
      await cutConnections(url);
      await untilAnswered(server, "/readyz", 200);
      assert.equal(await create(), 201);
      // Read only for those who connect from now on, as after a failover.
      await runSql(url, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
      await cutConnections(url);
      await untilAnswered(server, "/readyz", 200);
      assert.equal(await create(), 503);
      assert.equal((await server.ask("/readyz?writes", null)).status, 503);
      assert.equal((await server.ask("/v1/pets", "k")).status, 200);
      await runSql(url, `BEGIN READ WRITE; ALTER DATABASE ${database} RESET default_transaction_read_only; COMMIT`);
      await cutConnections(url);
      await untilAnswered(server, "/readyz?writes", 200);
      assert.equal(await create(), 201);
    })
  ));
