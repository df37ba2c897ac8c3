import assert from "node:assert/strict";
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { type Cluster, kill, own, startAgain, whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { withTempFolder } from "../../../../tests/support/temp.ts";
import { addPet, assertRefused, at, withCluster } from "../../../../tests/support/postgres/servers.ts";
import { makeCertificate, NO_OPENSSL } from "../../../../tests/support/system/certificate.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster() || NO_OPENSSL);

/** Puts a certificate and its key where a cluster looks for `server.crt` and `server.key`. */
function useCertificate({ folder }: Cluster, certificate: string, key: string): void {
  for (const [from, name] of [[certificate, "server.crt"], [key, "server.key"]] as const) {
    const path = join(folder, "data", name);
    copyFileSync(from, path);
    chmodSync(path, 0o600);
    own(path);
  }
}

/** From the next start on, a cluster takes no connection without TLS. */
function allowOnlyTls({ folder }: Cluster): void {
  writeFileSync(join(folder, "data", "pg_hba.conf"), "hostssl all all all trust\n");
}

/** Starts a cluster anew that takes TLS connections alone, or others too. */
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
      const { ca, certificate, key } = makeCertificate(folder, "ours"),
        { ca: other } = makeCertificate(folder, "theirs");
      useCertificate(cluster, certificate, key);
      restart(cluster);
      const byName = at(url, `localhost:${cluster.port}`);
      const modes: [store: string, isEncrypted: boolean][] = [
        [`${url}?sslmode=no-verify`, true],
        [`${byName}?sslmode=verify-full&sslrootcert=${ca}`, true],
        [`${url}?sslmode=disable`, false],
      ];
      for (const [store, isEncrypted] of modes) {
        await addPet(store, async () => assert.deepEqual(await runSql(url, ENCRYPTED), [[String(isEncrypted)]]));
      }
      await assertRefused(`${byName}?sslmode=verify-full&sslrootcert=${other}`, /certificate|issuer/i, true);
      await assertRefused(`${url}?sslmode=verify-full&sslrootcert=${ca}`, /certificate|name/i, true);
      allowOnlyTls(cluster);
      restart(cluster);
      await assertRefused(`${url}?sslmode=disable`, /no encryption/, false);
    })
  ));
