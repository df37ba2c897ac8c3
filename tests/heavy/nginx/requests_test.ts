/** docs/nginx.conf in front of a standalone server: what passes, and what nginx answers itself. */

import assert from "node:assert/strict";
import { assertSeen } from "./access_log.ts";
import { UNLIMITED, whyNoNginx, withProxy } from "../../support/nginx/nginx.ts";
import { assertConforms, UNDECODABLE_PATH } from "../../support/conformance.ts";
import { AUTHORIZATION, chunk, CHUNKED, get, head, HEADERS, MIB, PET, post } from "../../support/http/requests.ts";
import { exchange } from "../../support/http/raw_socket.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = testUnless(whyNoNginx());

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
  ["two lengths that differ", post(PET, "Content-Length: 3\r\nContent-Length: 29\r\n"), 400, "bad_request"],
  ["a coding that is not known", post(PET, "Transfer-Encoding: gzip\r\n"), 501, "unknown_transfer_coding"],
  ["two keys", get("/v1/pets", `${HEADERS}Authorization: Bearer k\r\n`), 400, "bad_request"],
  ["an invalid Host header", get("/v1/pets", `Host: a b\r\n${AUTHORIZATION}`), 400, "bad_request"],
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

test("nginx's refusals, and the hidden probes, have the petstore's Error shape and do not reach the petstore", (t) =>
  withProxy({}, async (nginx, server) => {
    for (const [what, bytes, status, code] of REFUSED) {
      await t.test(`${what}: ${status} ${code}`, async () => {
        const response = await exchange(nginx, bytes);
        assert.deepEqual([response?.status, JSON.parse(response?.text ?? "null")?.code], [status, code]);
      });
    }
    // As Java's client sends it, and Deno.serve refuses it.
    const upgrade = "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n";
    assert.equal((await exchange(nginx, get("/v1/pets", HEADERS + upgrade)))?.text, "[]");
    await assertSeen(server, ["GET /v1/pets 200"]);
  }));
