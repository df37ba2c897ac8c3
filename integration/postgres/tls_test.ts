/** TLS between server and PostgreSQL, as `sslmode` asks for it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runSql } from "../../tests/support/postgres.ts";
import {
  allowOnlyTls,
  type Cluster,
  kill,
  startAgain,
  useCertificate,
  whyNoCluster,
} from "../../tests/support/postgres_cluster.ts";
import { runServer, withServer } from "../../tests/support/server_process.ts";
import { command } from "../../tests/support/disk.ts";
import { withTempFolder } from "../../tests/support/temp.ts";
import { createOnce, KEY, withCluster } from "./support.ts";

const skip = whyNoCluster() || whyNoOpenSsl();
const why = skip ? ` (skipped: ${skip})` : "";

function whyNoOpenSsl(): string | false {
  try {
    command("openssl", "version");
    return false;
  } catch {
    return "there is no openssl";
  }
}

/** An authority of our own, and a certificate for `localhost` from it. */
function makeCertificate(folder: string, authority: string): { ca: string; certificate: string; key: string } {
  const [ca, caKey, certificate, key, request, extensions] = ["ca", "ca_key", "crt", "key", "csr", "ext"]
    .map((name) => join(folder, `${authority}.${name}`)) as [string, string, string, string, string, string];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  command("openssl", "req", "-x509", ...curve, "-keyout", caKey, "-out", ca, "-subj", `/CN=${authority}`, "-days", "2");
  command("openssl", "req", ...curve, "-keyout", key, "-out", request, "-subj", "/CN=localhost");
  Deno.writeTextFileSync(extensions, "subjectAltName=DNS:localhost\n");
  const signed = ["-in", request, "-CA", ca, "-CAkey", caKey, "-CAcreateserial", "-out", certificate, "-days", "2"];
  command("openssl", "x509", "-req", ...signed, "-extfile", extensions);
  return { ca, certificate, key };
}

/** A cluster that takes no connection without TLS; `use` gets its port and the files. */
function withTls(use: (port: number, ca: string, folder: string, cluster: Cluster) => Promise<void>): Promise<void> {
  return withTempFolder((folder) =>
    withCluster(async (cluster) => {
      const { ca, certificate, key } = makeCertificate(folder, "ours");
      useCertificate(cluster, certificate, key);
      for (const setting of ["ssl = on", "ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'"]) {
        await runSql(url(cluster.port), `ALTER SYSTEM SET ${setting}`);
      }
      await runSql(url(cluster.port), "SELECT pg_reload_conf()");
      while ((await runSql(url(cluster.port), "SHOW ssl"))[0]?.[0] !== "on");
      await use(cluster.port, ca, folder, cluster);
    })
  );
}

function url(port: number, host = "127.0.0.1"): string {
  return `postgres://postgres:hunter2@${host}:${port}/postgres`;
}

/** Whether each connection of the servers is encrypted, as PostgreSQL sees it. */
const ENCRYPTED = `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
  WHERE application_name = 'petstore'`;

test(
  `sslmode require and verify-full encrypt, and verify-full knows whom it talks to${why}`,
  { skip },
  () =>
    withTls(async (port, ca, folder) => {
      const modes = [
        `${url(port)}?sslmode=require`,
        `${url(port, "localhost")}?sslmode=verify-full&sslrootcert=${ca}`,
        `${url(port)}?sslmode=verify-ca&sslrootcert=${ca}`,
      ];
      for (const [i, store] of modes.entries()) {
        await withServer(folder, { args: [`--key=${KEY}`], env: { PETSTORE_STORE: store } }, async (server) => {
          assert.equal((await createOnce(server, `pet${i}`)).status, 201);
          assert.deepEqual(await runSql(url(port), ENCRYPTED), [["true"]]);
          assert.equal(await server.stop(), 0);
        });
      }
      await withServer(
        folder,
        { args: [`--key=${KEY}`], env: { PETSTORE_STORE: `${url(port)}?sslmode=disable` } },
        async () => {
          assert.deepEqual(await runSql(url(port), ENCRYPTED), [["false"]]);
        },
      );
    }),
);

test(`a certificate of another authority or name, and a connection without TLS, are refused in one line${why}`, {
  skip,
}, () =>
  withTls(async (port, ca, folder, cluster) => {
    const { ca: other } = makeCertificate(folder, "theirs");
    const refused = async (store: string, reason: RegExp, expected = 1) => {
      const parts = { args: [`--key=${KEY}`, "--port=0"], env: { PETSTORE_STORE: store } };
      const { status, stdout, stderr } = await runServer(folder, parts);
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
