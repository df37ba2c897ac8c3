import assert from "node:assert/strict";
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { type Cluster, kill, own, startAgain, whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { withTempFolder } from "../../../../tests/support/temp.ts";
import { at, openStore, withCluster } from "../../../../tests/support/postgres/servers.ts";
import { makeCertificate, NO_OPENSSL } from "../../../../tests/support/system/certificate.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster() || NO_OPENSSL);

/** Puts a certificate or its key where a cluster looks for it. */
function install(from: string, { folder }: Cluster, name: string): void {
  const path = join(folder, "data", name);
  copyFileSync(from, path);
  chmodSync(path, 0o600);
  own(path);
}

/** Starts a cluster anew with TLS. */
function restart(cluster: Cluster): void {
  kill(cluster);
  startAgain(cluster, ["ssl=on", "ssl_cert_file=server.crt", "ssl_key_file=server.key"]);
}

/** Whether each connection of the servers is encrypted, as PostgreSQL sees it. */
const ENCRYPTED = `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
  WHERE application_name = 'petstore'`;

test("connections are encrypted and certificates checked as sslmode says, and one without TLS may be refused", () =>
  withTempFolder((folder) =>
    withCluster(async (cluster, url) => {
      const { ca, certificate, key } = makeCertificate(folder, "ours");
      const { ca: other } = makeCertificate(folder, "theirs");
      install(certificate, cluster, "server.crt");
      install(key, cluster, "server.key");
      restart(cluster);
      const byName = at(url, `localhost:${cluster.port}`);
      for (const address of [`${url}?sslmode=no-verify`, `${byName}?sslmode=verify-full&sslrootcert=${ca}`]) {
        await using _store = await openStore(address);
        assert.deepEqual(await runSql(url, ENCRYPTED), [["t"]]);
      }
      // Of another authority, and for another name.
      for (const address of [`${byName}?sslrootcert=${other}`, `${url}?sslrootcert=${ca}`]) {
        await assert.rejects(openStore(`${address}&sslmode=verify-full`), /certificate|issuer|name/i);
      }
      writeFileSync(join(cluster.folder, "data", "pg_hba.conf"), "hostssl all all all trust\n");
      restart(cluster);
      await assert.rejects(openStore(`${url}?sslmode=disable`), /no encryption/);
    })
  ));
