/** docs/nginx.conf as it ships: nginx takes it before and after each documented step, whatever was adapted before. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIGURATION, NGINX, turnTlsOn, whyNoNginx } from "../../support/nginx/nginx.ts";
import { makeCertificate, NO_OPENSSL } from "../../support/system/certificate.ts";
import { Child } from "../../support/system/child.ts";
import { command, skipUnless, testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";

/** In a namespace of its own, where the folders of the file are empty ones in memory. */
const PLACES = ["/var/lib/nginx", "/var/log", "/run", "/etc/ssl"];
const MOUNTS = PLACES.map((place) => `mount -t tmpfs tmpfs ${place}`).join(" && ");
const NO_NAMESPACE = skipUnless(["unshare", "mount"], "the right to mount a file system", () => {
  command("unshare", "--mount", "sh", "-c", MOUNTS);
});

/** Lets nginx test a configuration, with a certificate where the file names it. */
async function testFile(folder: string, file: string): Promise<void> {
  const { certificate, key } = makeCertificate(folder, "ours");
  const prepare =
    `${MOUNTS} && mkdir /var/log/nginx /etc/ssl/petstore && cp ${certificate} /etc/ssl/petstore/fullchain.pem && ` +
    `cp ${key} /etc/ssl/petstore/privkey.pem`;
  await using child = new Child("unshare", ["--mount", "sh", "-c", `${prepare} && exec ${NGINX} -t -c ${file}`]);
  assert.equal(await child.exit(), 0, child.written.stderr);
  assert.match(child.written.stderr, /test is successful/);
}

/** What an operator may make of the line "listen 80;" before the step to TLS. */
const LISTENS = ["80", "127.0.0.1:8080"];

testUnless(whyNoNginx() || NO_OPENSSL || NO_NAMESPACE)(
  "nginx takes docs/nginx.conf as it is, and after the step to TLS, which leaves no plain port that reaches the petstore",
  () =>
    withTempFolder(async (folder) => {
      const file = join(folder, "nginx.conf");
      for (const listen of LISTENS) {
        writeFileSync(file, CONFIGURATION.replace(/^( *listen )80;/m, (_, start) => `${start}${listen};`));
        await testFile(folder, file);
        turnTlsOn(file);
        await testFile(folder, file);
        const [main, plain, ...more] = readFileSync(file, "utf8").split(/^ *server \{/m).slice(1);
        const portsOf = (server = "") => Array.from(server.matchAll(/^ *listen ([^;]+);/gm), ([, port]) => port);
        assert.deepEqual([portsOf(main), portsOf(plain), more.length], [["443 ssl http2"], ["80"], 0], listen);
        assert.doesNotMatch(plain!, /proxy_pass/);
      }
    }),
);
