import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Pool } from "pg";
import { createPostgresStore } from "../../../lib/stores/postgres/postgres_store.ts";
import { StoreUnavailableError } from "../../../mod.ts";
import { runSql } from "../../support/postgres/postgres.ts";
import { countWaiting, withLockedTable } from "../../support/postgres/lock.ts";
import { until } from "../../support/until.ts";
import { allowOnlyTls, type Cluster, kill, startAgain, whyNoCluster } from "../../support/postgres/cluster.ts";
import { runServer, withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";
import { createOnce, KEY, onStore, urlOf, withCluster } from "./support.ts";
import { ENCRYPTED, makeCertificate, NO_OPENSSL, useTls } from "./tls_support.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = testUnless(whyNoCluster() || NO_OPENSSL);

/** A cluster that takes only TLS connections. */
function withTls(use: (port: number, ca: string, folder: string, cluster: Cluster) => Promise<void>): Promise<void> {
  return withTempFolder((folder) =>
    withCluster(async (cluster) => {
      const made = makeCertificate(folder, "ours");
      await useTls(cluster, made);
      await use(cluster.port, made.ca, folder, cluster);
    })
  );
}

const url = (port: number, host = "127.0.0.1") => `postgres://postgres:hunter2@${host}:${port}/postgres`;

async function isUnlocked(cluster: Cluster): Promise<boolean> {
  return await countWaiting(urlOf(cluster), "petstore") === 0;
}

test("sslmode require, verify-ca and verify-full encrypt, and disable does not", () =>
  withTls(async (port, ca, folder) => {
    const modes = [
      `${url(port)}?sslmode=require`,
      `${url(port, "localhost")}?sslmode=verify-full&sslrootcert=${ca}`,
      `${url(port)}?sslmode=verify-ca&sslrootcert=${ca}`,
    ];
    for (const [i, store] of modes.entries()) {
      await withServer(folder, onStore(store), async (server) => {
        assert.equal((await createOnce(server, `pet${i}`)).status, 201);
        assert.deepEqual(await runSql(url(port), ENCRYPTED), [["true"]]);
        assert.equal(await server.stop(), 0);
      });
    }
    await withServer(
      folder,
      onStore(`${url(port)}?sslmode=disable`),
      async () => assert.deepEqual(await runSql(url(port), ENCRYPTED), [["false"]]),
    );
  }));

test("a certificate of another authority or name, and a connection without TLS, are refused in one line", () =>
  withTls(async (port, ca, folder, cluster) => {
    const { ca: other } = makeCertificate(folder, "theirs");
    const refused = async (store: string, reason: RegExp, expected = 1) => {
      const { status, stdout, stderr } = await runServer(folder, onStore(store));
      assert.deepEqual([status, stdout], [expected, ""], stderr);
      assert.match(stderr, reason);
      assert.match(stderr, /^petstore: [^\n]*\n$/);
      assert.doesNotMatch(stderr, /hunter2/);
    };
    await refused(`${url(port, "localhost")}?sslmode=verify-full&sslrootcert=${other}`, /certificate|issuer/i);
    await refused(`${url(port)}?sslmode=verify-full&sslrootcert=${ca}`, /certificate|name/i);
    allowOnlyTls(cluster);
    kill(cluster);
    startAgain(cluster);
    await refused(`${url(port)}?sslmode=disable`, /no encryption/, 2);
  }));

test("statements are also cancelled over TLS", () =>
  withTls(async (port, ca, folder, cluster) => {
    const store = `${url(port, "localhost")}?sslmode=verify-full&sslrootcert=${ca}`;
    await withServer(folder, onStore(store), async (server) => {
      assert.equal((await createOnce(server, "Rex")).status, 201);
      await withLockedTable(urlOf(cluster), "petstore.pets", async () => {
        assert.equal((await createOnce(server, "Bo")).status, 503);
        await until("no connection waiting for the lock", () => isUnlocked(cluster));
      });
      assert.equal(JSON.parse((await server.ask("/v1/pets", KEY)).text).length, 1);
      assert.equal(await server.stop(), 0);
    });
    // node-postgres makes the connection for it as it makes all.
    const pool = new Pool({ connectionString: url(port, "localhost"), ssl: { ca: Deno.readTextFileSync(ca) } });
    // Longer than a busy machine takes for an encrypted connection and a statement.
    const pets = await createPostgresStore(pool, { timeoutMs: 1000 });
    const pet = { name: "Rex", categoryId: 7n, status: "sold" } as const;
    await withLockedTable(urlOf(cluster), "petstore.pets", async () => {
      await assert.rejects(async () => await pets.create(pet), StoreUnavailableError);
      await until("no connection waiting for the lock", () => isUnlocked(cluster));
    });
    assert.equal(await pets.get(3n), undefined);
    await pets.close();
    await pool.end();
  }));
