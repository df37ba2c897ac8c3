/**
 * docs/nginx.conf in front of a standalone server: what passes, what nginx answers itself, and what
 * the server gets.
 */

import assert from "node:assert/strict";
import { assertSeen, type Nginx, UNLIMITED, whyNoNginx, withNginx, withProxy } from "./nginx.ts";
import { assertConforms, UNDECODABLE_PATH } from "../../support/conformance.ts";
import { type Endpoint, exchange, RawSocket } from "../../support/http/raw_socket.ts";
import {
  AUTHORIZATION,
  chunk,
  CHUNKED,
  get,
  head,
  HEADERS,
  lengthOf,
  MIB,
  PET,
  post,
} from "../../support/http/requests.ts";
import { type Script, withScript } from "../../support/http/scripted_server.ts";
import { makeCertificate, NO_OPENSSL } from "../../support/system/certificate.ts";
import { testUnless } from "../../support/system/commands.ts";
import { freePort } from "../../support/system/free_port.ts";
import { withTempFolder } from "../../support/temp.ts";
import { testWith } from "../../support/test_with.ts";
import { until } from "../../support/until.ts";

const test = testUnless(whyNoNginx());
const LIST = get("/v1/pets");
const CREATE = post(PET);

/** The status, the code and Retry-After of a response of nginx itself. */
async function refusal(nginx: Endpoint, bytes: string): Promise<unknown[]> {
  const response = await exchange(nginx, bytes);
  return [response?.status, JSON.parse(response?.text ?? "null").code, response?.headers.get("retry-after")];
}

test("through nginx, the petstore keeps the HTTP contract, except for paths that do not decode", () =>
  withProxy(
    UNLIMITED,
    ({ origin }) => assertConforms({ baseUrl: `${origin}/v1`, key: "k" }, { always: UNDECODABLE_PATH }),
  ));

const LONG = "a".repeat(9000);

/** What nginx refuses by itself. The petstore itself would answer 200 to the probes, or 401 without a key. */
const REFUSED: [what: string, bytes: string, status: number, code: string][] = [
  ["a body over the limit", post("", `Content-Length: ${MIB + 1}\r\n`), 413, "body_too_large"],
  ["chunks over the limit, never ended", post(chunk("x".repeat(MIB + 1)), CHUNKED), 413, "body_too_large"],
  ["a length and chunks", post(`${chunk(PET)}0\r\n\r\n`, `Content-Length: 5\r\n${CHUNKED}`), 400, "bad_request"],
  ["a coding that is not known", post(PET, "Transfer-Encoding: gzip\r\n"), 501, "unknown_transfer_coding"],
  ["a target of 9,000 characters", get(`/${LONG}`), 414, "uri_too_long"],
  ["a header of 9,000 characters", get("/", `${HEADERS}X: ${LONG}\r\n`), 400, "bad_request"],
  ["a path that does not decode", get("/v1/pets/%zz"), 400, "bad_request"],
  ["TRACE", head("TRACE", "/v1/pets"), 405, "method_not_allowed"],
  ["a version that does not exist", "GET /v1/pets HTTP/7.0\r\n\r\n", 505, "version_not_supported"],
  ["/livez", get("/livez"), 404, "route_not_found"],
  ["/readyz with a query", get("/readyz?writes"), 404, "route_not_found"],
  ["/readyz in an absolute target", get("http://pets.example/readyz"), 404, "route_not_found"],
  ["/readyz with a backslash", get("/.\\readyz"), 404, "route_not_found"],
  ["/readyz with an encoded letter", get("/%72eadyz"), 404, "route_not_found"],
];

test("nginx's refusals, and the hidden probes, have the petstore's Error shape, and neither they nor a body that stalls reach the petstore", (t) =>
  withProxy({}, async (nginx, server) => {
    using stalled = await RawSocket.open(nginx);
    await stalled.sendRest(post("", lengthOf(PET)));
    for (const [what, bytes, status, code] of REFUSED) {
      await t.test(`${what}: ${status} ${code}`, async () => {
        assert.deepEqual((await refusal(nginx, bytes)).slice(0, 2), [status, code]);
      });
    }
    // As Java's client sends it, and Deno.serve refuses it.
    const upgrade = "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n";
    assert.equal((await exchange(nginx, get("/v1/pets", HEADERS + upgrade)))?.text, "[]");
    await assertSeen(server, ["GET /v1/pets 200"]);
  }));

test("nginx answers 504 for a petstore that does not answer in time, and 502 for one that is gone", () =>
  withProxy({ response_timeout: "150ms" }, async (nginx, { pid }) => {
    Deno.kill(pid, "SIGSTOP");
    for (const bytes of [LIST, CREATE]) assert.deepEqual(await refusal(nginx, bytes), [504, "gateway_timeout", "5"]);
    Deno.kill(pid, "SIGKILL");
    await until("502", async () => (await exchange(nginx, LIST))?.status === 502);
    assert.deepEqual(await refusal(nginx, CREATE), [502, "bad_gateway", "1"]);
  }));

test("requests beyond the rate of an address are refused with 429", () =>
  withProxy(
    { rate: "$binary_remote_addr zone=requests:10m rate=1r/m", burst: "zone=requests" },
    async (nginx) => {
      assert.equal((await exchange(nginx, LIST))?.status, 200);
      for (const bytes of [LIST, CREATE]) {
        assert.deepEqual(await refusal(nginx, bytes), [429, "too_many_requests", "1"]);
      }
    },
  ));

/**
 * nginx before an upstream that answers the first request of a connection, and closes the
 * connection after the second.
 */
function withBreaker(use: (nginx: Nginx, heads: string[]) => Promise<void>): Promise<void> {
  const list = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]";
  const script: Script = (_request, number) => number % 2 === 0 ? [list] : "";
  return withScript(script, ({ origin, requests }) => {
    const port = Number(new URL(origin).port);
    return withTempFolder((folder) => withNginx(folder, port, {}, (nginx) => use(nginx, requests)));
  });
}

test("a GET whose connection to the petstore breaks is sent again, a POST never", () =>
  withBreaker(async (nginx, heads) => {
    assert.equal((await exchange(nginx, LIST))?.status, 200);
    // nginx asks first on the kept connection, which breaks, and then on a new one.
    assert.equal((await exchange(nginx, LIST))?.status, 200);
    assert.deepEqual(await refusal(nginx, CREATE), [502, "bad_gateway", "1"]);
    assert.deepEqual(heads.map((head) => head.slice(0, head.indexOf(" "))), ["GET", "GET", "GET", "POST"]);
  }));

test("the petstore gets the request with its target as sent, the address from nginx, and nothing about other proxies", () =>
  withBreaker(async (nginx, heads) => {
    const pretended = "Forwarded: for=1.2.3.4\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: evil.example\r\n" +
      "X-Forwarded-Proto: https\r\nX-Real-IP: 1.2.3.4\r\nConnection: authorization, x\r\nUpgrade: h2c\r\n";
    await exchange(nginx, get("/v1/%70ets//?limit=%31&x", HEADERS + pretended));
    assert.deepEqual(heads[0]?.trimEnd().split("\r\n"), [
      "GET /v1/%70ets//?limit=%31&x HTTP/1.1",
      "Host: pets.example",
      "X-Real-IP: 127.0.0.1",
      "Authorization: Bearer k",
    ]);
  }));

/** Requests with and without a key that is right, and what nginx refuses by itself. */
const PLAIN = [
  get("/v1/pets"),
  get("/v1/pets", HEADERS.replace("Bearer k", "Bearer wrong")),
  post(PET),
  get("/livez"),
  get(`/${LONG}`),
  get("/v1/pets", AUTHORIZATION),
  get("/%zz"),
  post("", "Content-Length: x\r\n"),
];

// A key that is sent over plain HTTP gets no redirect, and nothing tells whether it is valid.
testWith(withTempFolder, testUnless(whyNoNginx() || NO_OPENSSL))(
  "after the documented step to TLS, every request over plain HTTP gets the same 403 and reaches no petstore, at either port",
  async (folder) => {
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
      assert.deepEqual((await refusal({ port: tls }, LIST)).slice(0, 2), [403, "https_required"]);

      using client = Deno.createHttpClient({ caCerts: [Deno.readTextFileSync(ca)] });
      for (const [authorization, status] of [["Bearer k", 200], ["Bearer wrong", 401]] as const) {
        const response = await fetch(`https://localhost:${tls}/v1/pets`, { client, headers: { authorization } });
        await response.body?.cancel();
        assert.equal(response.status, status);
        assert.equal(response.headers.get("strict-transport-security"), "max-age=63072000");
      }
      await assertSeen(server, ["GET /v1/pets 200", "GET /v1/pets 401 invalid_api_key"]);
    });
  },
);
