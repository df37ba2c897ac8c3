import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { type Cluster, useCertificate } from "../../../../tests/support/postgres/cluster.ts";
import type { Certificate } from "../../../../tests/support/system/certificate.ts";
import { urlOf } from "../../../../tests/support/postgres/servers.ts";

export async function useTls(cluster: Cluster, { certificate, key }: Certificate): Promise<void> {
  const url = urlOf(cluster);
  useCertificate(cluster, certificate, key);
  for (const setting of ["ssl = on", "ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'"]) {
    await runSql(url, `ALTER SYSTEM SET ${setting}`);
  }
  await runSql(url, "SELECT pg_reload_conf()");
  while ((await runSql(url, "SHOW ssl"))[0]?.[0] !== "on");
}

/** Whether each connection of the servers is encrypted, as PostgreSQL sees it. */
export const ENCRYPTED = `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
  WHERE application_name = 'petstore'`;
