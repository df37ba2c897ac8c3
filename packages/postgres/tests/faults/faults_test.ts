/** A PostgreSQL that is killed, whose connections are cut, whose standby is away, or whose messages cannot be read. */

import assert from "node:assert/strict";
import { createPostgresStore, postgresSchema } from "../../mod.ts";
import type { PooledStore } from "../../lib/client/statement_queue.ts";
import { type KeyedPetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { isAnswered, runSql, untilAnswered, withPool } from "../../../../tests/support/postgres/postgres.ts";
import { kill, startAgain, whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { withProxy } from "../../../../tests/support/postgres/proxy.ts";
import { Ledger } from "../../../../tests/support/server/ledger.ts";
import { runHere } from "../../../../tests/support/server/in_process.ts";
import { assertRefused } from "../../../../tests/support/server/pet_files.ts";
import { until } from "../../../../tests/support/until.ts";
import { PET, request } from "../support.ts";
import {
  at,
  openStore,
  untilStatus,
  withCluster,
  withDatabase,
  withServers,
} from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster());

test("two servers survive a PostgreSQL that is killed under load, and no pet is lost or doubled", () =>
  withCluster((cluster, url) =>
    withServers(url, 2, async (servers) => {
      const ledger = new Ledger();
      let isDone = false;
      const clients = Array.from({ length: 8 }, (_, i) => ledger.createOnAndOn(servers, `c${i}`, () => isDone));
      const disturb = async () => {
        await until("creates", () => ledger.pets.size > 50);
        kill(cluster);
        for (const server of servers) {
          await untilStatus(server, "/readyz", 503);
          const list = await server.ask("/v1/pets", "k");
          assert.deepEqual([list.status, list.headers.get("retry-after")], [503, "5"]);
          assert.equal((await server.ask("/livez", null)).status, 200);
        }
        startAgain(cluster);
        for (const server of servers) await untilStatus(server, "/readyz", 200);
      };
      await Promise.race([disturb(), Promise.all(clients)]).finally(() => isDone = true);
      await Promise.all(clients);
      assert.deepEqual([...ledger.seen.keys()].sort(), [201, 503], "No create was hit");
      const stored = await runSql(url, "SELECT name, id FROM petstore.pets ORDER BY id");
      assert.deepEqual(stored, ledger.inOrder().map(({ name, id }) => [name, String(id)]));
      for (const server of servers) {
        assert.equal(await server.stop(), 0);
        const written = server.written.stdout + server.written.stderr;
        assert.ok(written.includes("PostgreSQL: ") && !/hunter2|undefined/.test(written), written);
      }
    })
  ));

/** Ends a server's connections, and waits until they are gone: until then, a request may still get one of them. */
async function cutConnections(url: string): Promise<void> {
  await runSql(
    url,
    `SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity
     WHERE application_name = 'petstore' AND datname = current_database()`,
  );
}

test("a server replaces cut connections, and a read-only database refuses only creates, with 503", () =>
  withDatabase((url) =>
    withServers(url, 1, async (servers) => {
      const server = servers[0]!, ledger = new Ledger();
      const database = new URL(url).pathname.slice(1);
      await ledger.create(server);
      // Read only for those who connect from now on, as after a failover.
      await runSql(url, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
      await cutConnections(url);
      await untilStatus(server, "/readyz", 200);
      await ledger.assertRefused(server);
      assert.equal((await server.ask("/readyz?writes", null)).status, 503);
      await ledger.assertShown(server);
      await runSql(url, `BEGIN READ WRITE; ALTER DATABASE ${database} RESET default_transaction_read_only; COMMIT`);
      await cutConnections(url);
      await untilStatus(server, "/readyz?writes", 200);
      await ledger.create(server);
    })
  ));

test("a command that loses its connection while PostgreSQL adds a key prints none, and says that it may be stored", () =>
  withDatabase((url, port) =>
    withProxy(port, async (proxy) => {
      await runSql(url, postgresSchema());
      proxy.follow([{ side: "server", bytes: 0, within: "INSERT INTO", effect: "end" }]);
      const exit = await runHere(["keys", "add", "--label=ci"], { PETSTORE_STORE: at(url, `127.0.0.1:${proxy.port}`) });
      assertRefused(exit, "; the change of the keys may have been stored\n", 1);
      assert.deepEqual(await runSql(url, "SELECT label FROM petstore.api_keys"), [["ci"]]);
    })
  ));

async function setStandbys(url: string, names: string): Promise<void> {
  await runSql(url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await runSql(url, "SELECT pg_reload_conf()");
}

/** Whether a statement with this text is being committed and waits for a standby. */
async function isWaiting(url: string, text: string): Promise<boolean> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%${text}%'`;
  return (await runSql(url, waiting)).length > 0;
}

test("a create, an earlier one that is told again, and a probe wait for a standby, and nothing is shown before it has them", () =>
  withCluster((_, url) =>
    withPool(url, async (pool) => {
      // It gives up every create that waits, so no limit is too short for it.
      const store = await createPostgresStore(pool, { timeoutMs: 500 }) as KeyedPetStore & PooledStore;
      let sent = 0;
      const send = (key: string) => store.createOnce!(PET, request(key, "f", 600_000));
      await untilAnswered(() => send("0"));
      for (const ask of [() => send(`${++sent}`), () => send("0"), () => store.checkWrites!()]) {
        await setStandbys(url, "away");
        // One process of PostgreSQL decides at some time after the reload that commits wait. No
        // setting shows it, but such a commit does.
        await until("a commit that was given up and waits", async () => {
          return !await isAnswered(ask()) && await isWaiting(url, "add_pets");
        });
        // This does not use a store, because a busy machine may be slower than the time limit of one.
        const shown = await runSql(url, "SELECT id FROM petstore.pets");
        await assert.rejects(async () => await ask(), StoreUnavailableError);
        // If the wait was cancelled, the pet would be visible, and a failover would take it back. Reads go on.
        assert.deepEqual(await runSql(url, "SELECT id FROM petstore.pets"), shown);
        assert.ok(await isWaiting(url, "add_pets"), "The wait was cancelled");
        await untilAnswered(() => store.get(1n));
        // What waits takes no connection from the store, once the last request to cancel it has ended.
        await until("no statement of the store runs", () => store.pool.running === 0);
        await setStandbys(url, "");
        await untilAnswered(ask);
      }
      await store.close();
    })
  ));

/** Messages of the server: it lets the client in, or demands a login by GSSAPI, which the driver does not know. */
const WELCOME = "R\0\0\0\x08\0\0\0\0", GSSAPI = "R\0\0\0\x08\0\0\0\x07";

/** The description of the one column of a pet. */
const COLUMN = "T\0\0\0\x1f\0\x01concat\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0";

/** What PgBouncer made of a description whose connection ended after its first bytes. */
const CUT_COLUMN = "T\0\0\0\x1f\x0eE\0\0\0)SFATAL\0C08P01\0Mserver ";

test("a message that cannot be read, also during the login, ends no process", () =>
  withDatabase((url, port) =>
    withProxy(port, async (proxy) => {
      await using store = await openStore(at(url, `127.0.0.1:${proxy.port}`, "?pool_size=1"));
      await store.create(PET);
      const uncaught: unknown[] = [];
      // The test runner would not report it.
      const onError = (event: ErrorEvent) => {
        event.preventDefault();
        uncaught.push(event.error);
      };
      addEventListener("error", onError);
      for (const [from, to] of [[COLUMN, CUT_COLUMN], [WELCOME, GSSAPI]] as const) {
        proxy.replace(from, to);
        // The first read ends the connection, so that there is another login.
        proxy.follow([{ side: "client", bytes: 1, effect: "end" }]);
        for (let reads = 0; reads < 5; reads++) await isAnswered(store.get(1n));
        proxy.replace("", "");
        await untilAnswered(async () => assert.match(String(await store.get(1n)), /Rex/));
      }
      removeEventListener("error", onError);
      assert.deepEqual(uncaught, []);
    })
  ));
