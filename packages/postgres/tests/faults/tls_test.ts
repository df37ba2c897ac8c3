import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Pool } from "pg";
import { createPostgresStore } from "../../mod.ts";
import { type PetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { countWaiting, withLockedTable } from "../../../../tests/support/postgres/lock.ts";
import { until } from "../../../../tests/support/until.ts";
import {
  allowOnlyTls,
  type Cluster,
  kill,
  startAgain,
  whyNoCluster,
} from "../../../../tests/support/postgres/cluster.ts";
import { withTempFolder } from "../../../../tests/support/temp.ts";
import { addPet, assertRefused, at, PET, urlOf, withCluster } from "../../../../tests/support/postgres/servers.ts";
import { makeCertificate, NO_OPENSSL } from "../../../../tests/support/system/certificate.ts";
import { ENCRYPTED, useTls } from "./tls_support.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster() || NO_OPENSSL);

/** A cluster that takes only TLS connections. */
function withTls(use: (cluster: Cluster, ca: string, folder: string) => Promise<void>): Promise<void> {
  return withTempFolder((folder) =>
    withCluster(async (cluster) => {
      const made = makeCertificate(folder, "ours");
      await useTls(cluster, made);
      await use(cluster, made.ca, folder);
    })
  );
}

async function isUnlocked(cluster: Cluster): Promise<boolean> {
  return await countWaiting(urlOf(cluster), "petstore") === 0;
}

test("sslmode verify-full and no-verify encrypt, and disable does not", () =>
  withTls(async (cluster, ca) => {
    const url = urlOf(cluster), byName = `localhost:${cluster.port}`;
    const modes: [store: string, isEncrypted: boolean][] = [
      [`${url}?sslmode=no-verify`, true],
      [at(url, byName, `?sslmode=verify-full&sslrootcert=${ca}`), true],
      [`${url}?sslmode=disable`, false],
    ];
    for (const [store, isEncrypted] of modes) {
      await addPet(store, async () => assert.deepEqual(await runSql(url, ENCRYPTED), [[String(isEncrypted)]]));
    }
  }));

test("a certificate of another authority or name, and a connection without TLS, are refused", () =>
  withTls(async (cluster, ca, folder) => {
    const url = urlOf(cluster), byName = `localhost:${cluster.port}`;
    const { ca: other } = makeCertificate(folder, "theirs");
    await assertRefused(at(url, byName, `?sslmode=verify-full&sslrootcert=${other}`), /certificate|issuer/i, true);
    await assertRefused(`${url}?sslmode=verify-full&sslrootcert=${ca}`, /certificate|name/i, true);
    allowOnlyTls(cluster);
    kill(cluster);
    startAgain(cluster);
    await assertRefused(`${url}?sslmode=disable`, /no encryption/, false);
  }));

test("statements are also cancelled over TLS", () =>
  withTls(async (cluster, ca) => {
    const byName = at(urlOf(cluster), `localhost:${cluster.port}`);
    const refused = (store: PetStore) =>
      withLockedTable(urlOf(cluster), "petstore.pets", async () => {
        await assert.rejects(async () => await store.create(PET), StoreUnavailableError);
        await until("no connection waiting for the lock", () => isUnlocked(cluster));
      });
    await addPet(`${byName}?sslmode=verify-full&sslrootcert=${ca}`, refused);
    // node-postgres makes the connection for it as it makes all.
    const pool = new Pool({ connectionString: byName, ssl: { ca: Deno.readTextFileSync(ca) } });
    // Longer than a busy machine takes for an encrypted connection and a statement.
    const pets = await createPostgresStore(pool, { timeoutMs: 1000 });
    await refused(pets);
    await pets.close();
    await pool.end();
    assert.deepEqual(await runSql(urlOf(cluster), "SELECT count(*) FROM petstore.pets"), [["1"]]);
  }));
