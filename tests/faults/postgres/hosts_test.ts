/** Several hosts in one address: the choice, the time limits, and the certificates. */

import assert from "node:assert/strict";
import { runSql } from "../../support/postgres/postgres.ts";
import { whyNoCluster } from "../../support/postgres/cluster.ts";
import { runServer, withServer } from "../../support/server/server_process.ts";
import { withSilentProxy } from "./silent_proxy.ts";
import { withTempFolder } from "../../support/temp.ts";
import { countStored, createOnce, onStore, underLoad, withCluster, withOneServer } from "./support.ts";
import { ENCRYPTED, makeCertificate, NO_OPENSSL, useTls } from "./tls_support.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = Object.assign(testUnless(whyNoCluster()), { withTls: testUnless(whyNoCluster() || NO_OPENSSL) });

const urlOf = (hosts: string, query = "") => `postgres://postgres:hunter2@${hosts}/postgres${query}`;

for (const query of ["", "?sslmode=disable", "?target_session_attrs=read-write", "?connect_timeout=1"]) {
  const title = `a server starts while the first of its hosts accepts and stays silent${
    query ? `, with ${query}` : ""
  }`;
  test(title, () =>
    withCluster((cluster) =>
      withSilentProxy(cluster.port, (proxy) => {
        proxy.silenceNew();
        const url = urlOf(`127.0.0.1:${proxy.port},127.0.0.1:${cluster.port}`, query);
        return withOneServer(url, async (server) => {
          assert.equal((await createOnce(server, "Rex")).status, 201);
          assert.ok(proxy.accepted > 0, "The first host has not been tried");
        });
      })
    ));
}

test("a server switches to its second host when the first falls silent, and no pet is lost or doubled", () =>
  withCluster((cluster) =>
    withSilentProxy(cluster.port, (proxy) => {
      // Both lead to the same database, as two poolers do.
      const url = urlOf(`127.0.0.1:${proxy.port},127.0.0.1:${cluster.port}`);
      return withOneServer(url, async (server) => {
        const direct = urlOf(`127.0.0.1:${cluster.port}`);
        await underLoad(direct, [server], 4, async () => {
          while (await countStored(direct) < 20);
          assert.ok(proxy.accepted > 0);
          proxy.silenceNew();
          proxy.silenceOpen();
          for (const before = await countStored(direct); await countStored(direct) < before + 20;);
        });
        assert.equal(await server.stop(), 0);
      });
    })
  ));

test("a start without a suitable host says in one line what is wrong with each", () =>
  withCluster((cluster) =>
    withTempFolder(async (folder) => {
      using closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const { port } = closed.addr;
      closed.close();
      const store = urlOf(`127.0.0.1:${port},127.0.0.1:${cluster.port}`, "?target_session_attrs=standby");
      const { status, stderr } = await runServer(folder, onStore(store));
      assert.equal(status, 1, stderr);
      assert.match(stderr, /^petstore: [^\n]*ECONNREFUSED[^\n]*does not match target_session_attrs=standby\n$/);
      assert.doesNotMatch(stderr, /hunter2/);
      // A response decides: the wrong database is not looked for elsewhere.
      const wrong = urlOf(`127.0.0.1:${cluster.port},127.0.0.1:${port}`).replace(/postgres$/, "elsewhere");
      const { status: second, stderr: line } = await runServer(folder, onStore(wrong));
      assert.equal(second, 2, line);
      assert.match(line, /"elsewhere" does not exist \(SQLSTATE 3D000\)\n$/);
    })
  ));

test.withTls(
  "verify-full checks the host that the connection goes to, a name or an address, whichever of several it is",
  () =>
    withTempFolder((folder) =>
      withCluster((cluster) =>
        withSilentProxy(cluster.port, async (proxy) => {
          proxy.silenceNew();
          const byAddress = makeCertificate(folder, "address", "IP:127.0.0.1");
          await useTls(cluster, byAddress);
          const start = (hosts: string, ca: string) =>
            withServer(
              folder,
              onStore(urlOf(hosts, `?sslmode=verify-full&connect_timeout=2&sslrootcert=${ca}`)),
              async (server) => {
                assert.equal((await createOnce(server, crypto.randomUUID())).status, 201);
                assert.deepEqual(await runSql(urlOf(`127.0.0.1:${cluster.port}`), ENCRYPTED), [["true"]]);
                assert.equal(await server.stop(), 0);
              },
            );
          const [silent, real] = [`127.0.0.1:${proxy.port}`, `127.0.0.1:${cluster.port}`];
          await start(real, byAddress.ca);
          await start(`${silent},${real}`, byAddress.ca);
          // The certificate lacks this name: only the other host is used.
          await start(`localhost:${cluster.port},${real}`, byAddress.ca);
          await assert.rejects(start(`localhost:${cluster.port}`, byAddress.ca), /certificate|name/i);
          await assert.rejects(start(`localhost:${cluster.port},${silent}`, byAddress.ca), /certificate|name/i);
          const byName = makeCertificate(folder, "name", "DNS:localhost");
          await useTls(cluster, byName);
          await start(`${silent},localhost:${cluster.port}`, byName.ca);
          await assert.rejects(start(`${real},${silent}`, byName.ca), /certificate|name/i);
        })
      )
    ),
);
