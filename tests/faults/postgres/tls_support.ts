import { join } from "node:path";
import { runSql } from "../../support/postgres/postgres.ts";
import { type Cluster, useCertificate } from "../../support/postgres/cluster.ts";
import { command, hasCommand } from "../../support/system/commands.ts";
import { urlOf } from "../../support/postgres/servers.ts";

export const NO_OPENSSL: string | false = hasCommand("openssl") ? false : "there is no openssl";

export interface Certificate {
  ca: string;
  certificate: string;
  key: string;
}

export function makeCertificate(folder: string, authority: string, host = "DNS:localhost"): Certificate {
  const [ca, caKey, certificate, key, request, extensions] = ["ca", "ca_key", "crt", "key", "csr", "ext"]
    .map((name) => join(folder, `${authority}.${name}`)) as [string, string, string, string, string, string];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  command("openssl", "req", "-x509", ...curve, "-keyout", caKey, "-out", ca, "-subj", `/CN=${authority}`, "-days", "2");
  command("openssl", "req", ...curve, "-keyout", key, "-out", request, "-subj", "/CN=petstore");
  Deno.writeTextFileSync(extensions, `subjectAltName=${host}\n`);
  const signed = ["-in", request, "-CA", ca, "-CAkey", caKey, "-CAcreateserial", "-out", certificate, "-days", "2"];
  command("openssl", "x509", "-req", ...signed, "-extfile", extensions);
  return { ca, certificate, key };
}

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
