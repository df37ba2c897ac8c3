/**
 * docs/nginx.conf after the step to TLS that it documents: a key that is sent over plain HTTP gets
 * no redirect, and nothing tells whether it is valid.
 */

import assert from "node:assert/strict";
import { assertSeen, whyNoNginx, withProxy } from "./nginx.ts";
import { AUTHORIZATION, get, HEADERS, PET, post } from "../../support/http/requests.ts";
import { exchange } from "../../support/http/raw_socket.ts";
import { makeCertificate, NO_OPENSSL } from "../../support/system/certificate.ts";
import { testUnless } from "../../support/system/commands.ts";
import { freePort } from "../../support/system/free_port.ts";
import { withTempFolder } from "../../support/temp.ts";

const test = testUnless(whyNoNginx() || NO_OPENSSL);

/** With and without a key that is right, and what nginx refuses by itself. */
const PLAIN = [
  get("/v1/pets"),
  get("/v1/pets", HEADERS.replace("Bearer k", "Bearer wrong")),
  post(PET),
  get("/livez"),
  get(`/${"a".repeat(9000)}`),
  get("/v1/pets", AUTHORIZATION),
  get("/%zz"),
  post("", "Content-Length: x\r\n"),
];

test("with TLS, every request over plain HTTP gets the same 403 and reaches no petstore, at either port", () =>
  withTempFolder(async (folder) => {
    const tls = await freePort();
    const { ca, certificate, key } = makeCertificate(folder, "ours");
    const settings = { listen_tls: `127.0.0.1:${tls} ssl http2`, certificate, certificate_key: key };
    await withProxy(settings, async (nginx, server) => {
      const refusals = new Set<string>();
      for (const request of PLAIN) {
        const response = await exchange(nginx, request);
        assert.equal(response?.status, 403, request.slice(0, 100));
        response.headers.delete("date");
        refusals.add(JSON.stringify([[...response.headers], response.text]));
      }
      assert.equal(refusals.size, 1, [...refusals].join("\n"));
      const atTls = await exchange({ port: tls }, get("/v1/pets"));
      assert.deepEqual([atTls?.status, JSON.parse(atTls?.text ?? "null").code], [403, "https_required"]);

      using client = Deno.createHttpClient({ caCerts: [Deno.readTextFileSync(ca)] });
      for (const [authorization, status] of [["Bearer k", 200], ["Bearer wrong", 401]] as const) {
        const response = await fetch(`https://localhost:${tls}/v1/pets`, { client, headers: { authorization } });
        await response.body?.cancel();
        assert.deepEqual(
          [response.status, response.headers.get("strict-transport-security")],
          [status, "max-age=63072000"],
        );
      }
      await assertSeen(server, ["GET /v1/pets 200", "GET /v1/pets 401 invalid_api_key"]);
    });
  }));
