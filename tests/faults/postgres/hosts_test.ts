/** Several hosts in one address: the choice, the time limits, and the certificates. */

import assert from "node:assert/strict";
import { runSql } from "../../support/postgres/postgres.ts";
import { whyNoCluster } from "../../support/postgres/cluster.ts";
import { withProxy } from "../../support/postgres/proxy.ts";
import { withTempFolder } from "../../support/temp.ts";
import {
  addPet,
  assertRefused,
  at,
  countStored,
  underLoad,
  withCluster,
  withDatabase,
  withOneServer,
} from "../../support/postgres/servers.ts";
import { makeCertificate, NO_OPENSSL } from "../../support/system/certificate.ts";
import { ENCRYPTED, useTls } from "./tls_support.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = Object.assign(testUnless(whyNoCluster()), { withTls: testUnless(whyNoCluster() || NO_OPENSSL) });

for (const query of ["", "?sslmode=disable", "?target_session_attrs=read-write", "?connect_timeout=1"]) {
  test(`a store opens while the first of its hosts accepts and stays silent, with ${query || "no parameter"}`, () =>
    withDatabase((url, port) =>
      withProxy(port, async (proxy) => {
        proxy.silenceNew();
        await addPet(at(url, `127.0.0.1:${proxy.port},127.0.0.1:${port}`, query));
        assert.ok(proxy.accepted > 0, "The first host has not been tried");
      })
    ));
}

test("a server switches to its second host when the first falls silent, and no pet is lost or doubled", () =>
  withDatabase((url, port) =>
    withProxy(port, (proxy) =>
      // Both lead to the same database, as two poolers do.
      withOneServer(at(url, `127.0.0.1:${proxy.port},127.0.0.1:${port}`), async (server) => {
        await underLoad(url, [server], 4, async () => {
          while (await countStored(url) < 20);
          assert.ok(proxy.accepted > 0);
          proxy.silenceNew();
          proxy.silenceOpen();
          for (const before = await countStored(url); await countStored(url) < before + 20;);
        });
        assert.equal(await server.stop(), 0);
      }))
  ));

test("without a suitable host, the store says in one line what is wrong with each", () =>
  withDatabase(async (url, port) => {
    using closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const refusing = `127.0.0.1:${closed.addr.port}`, standing = `127.0.0.1:${port}`;
    closed.close();
    const readOnly = "options=-c%20default_transaction_read_only=on";
    const both = at(url, `${refusing},${standing}`, `?target_session_attrs=read-write&${readOnly}`);
    await assertRefused(both, /ECONNREFUSED.*does not match target_session_attrs=read-write$/, true);
    // A response decides: the wrong database is not looked for elsewhere.
    const wrong = at(url, `${standing},${refusing}`).replace(/[^/]*$/, "elsewhere");
    await assertRefused(wrong, /"elsewhere" does not exist \(SQLSTATE 3D000\)$/, false);
  }));

test.withTls("verify-full checks the host that the connection goes to, a name or an address, whichever of several it is", () =>
  withTempFolder((folder) =>
    withCluster((cluster, url) =>
      withProxy(cluster.port, async (proxy) => {
        proxy.silenceNew();
        const byAddress = makeCertificate(folder, "address", "IP:127.0.0.1");
        await useTls(cluster, byAddress);
        const add = (hosts: string, ca: string) =>
          addPet(at(url, hosts, `?sslmode=verify-full&connect_timeout=1&sslrootcert=${ca}`), async () => {
            assert.deepEqual(await runSql(url, ENCRYPTED), [["true"]]);
          });
        const [silent, real] = [`127.0.0.1:${proxy.port}`, `127.0.0.1:${cluster.port}`];
        await add(real, byAddress.ca);
        await add(`${silent},${real}`, byAddress.ca);
        // The certificate lacks this name: only the other host is used.
        await add(`localhost:${cluster.port},${real}`, byAddress.ca);
        await assert.rejects(add(`localhost:${cluster.port}`, byAddress.ca), /certificate|name/i);
        await assert.rejects(add(`localhost:${cluster.port},${silent}`, byAddress.ca), /certificate|name/i);
        const byName = makeCertificate(folder, "name", "DNS:localhost");
        await useTls(cluster, byName);
        await add(`${silent},localhost:${cluster.port}`, byName.ca);
        await assert.rejects(add(`${real},${silent}`, byName.ca), /certificate|name/i);
      })
    )
  ));
