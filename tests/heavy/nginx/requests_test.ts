/** docs/nginx.conf in front of a standalone server: what passes, and what nginx answers itself. */

import assert from "node:assert/strict";
import { assertLog } from "./access_log.ts";
import { whyNoNginx, withProxy } from "../../support/nginx/nginx.ts";
import type { SeenResponse } from "../../support/openapi_validator.ts";
import { AUTHORIZATION, chunk, CHUNKED, get, head, HEADERS, MIB, PET, post } from "../../support/http/requests.ts";
import { exchange, RawSocket } from "../../support/http/raw_socket.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = testUnless(whyNoNginx());

function codeOf(response: SeenResponse | undefined): string {
  return JSON.parse(response?.text ?? "null")?.code;
}

test("an invalid Host header is refused with 400, by nginx or by the petstore", () =>
  withProxy({}, async (nginx) => {
    const responses: Record<string, string[]> = { bad_request: [], invalid_host: [], none: [] };
    for (const host of ["", "a b", "a/b", "a\x01b", "a..b", "a?b", "a@b", "a#b", "a\\b", "é", "x\r\nHost: y", "a:80"]) {
      const response = await exchange(nginx, get("/v1/pets", `Host: ${host}\r\n${AUTHORIZATION}`));
      assert.equal(response?.status, host === "a:80" ? 200 : 400, host);
      responses[codeOf(response) ?? "none"]?.push(host);
    }
    assert.deepEqual(responses, {
      bad_request: ["", "a b", "a/b", "a\x01b", "a..b", "x\r\nHost: y"],
      invalid_host: ["a?b", "a@b", "a#b", "a\\b", "é"],
      none: ["a:80"],
    });
  }));

test("/livez and /readyz cannot be reached through nginx, however they are written", () =>
  withProxy({}, async (nginx, server) => {
    assert.equal((await server.ask("/readyz", null)).status, 200);
    for (const name of ["livez", "readyz"]) {
      const direct = [
        `/${name}`,
        `/${name}?x`,
        `//${name}`,
        `/v1/../${name}`,
        `/.\\${name}`,
        `/%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
      ];
      for (const target of [...direct, `http://pets.example/${name}`, `/${name}/`, `/${name.toUpperCase()}`]) {
        using socket = await RawSocket.open(nginx);
        await socket.send(get(target));
        const response = await socket.readResponse();
        // The petstore itself would answer 200, or 401 to a request without a key.
        assert.deepEqual([response?.status, codeOf(response)], [404, "route_not_found"], target);
      }
    }
    assert.equal(await server.stop(), 0);
    assert.doesNotMatch(server.written.stdout, /\\|%5C/);
  }));

const LONG = "a".repeat(9000);

const OWN_RESPONSES: [what: string, bytes: string, status: number, code: string][] = [
  ["a body over the limit", post("", `Content-Length: ${MIB + 1}\r\n`), 413, "body_too_large"],
  ["chunks over the limit", post(`${chunk("x".repeat(MIB + 1))}0\r\n\r\n`, CHUNKED), 413, "body_too_large"],
  ["chunks over the limit, never ended", post(chunk("x".repeat(MIB + 1)), CHUNKED), 413, "body_too_large"],
  ["a length and chunks", post(`${chunk(PET)}0\r\n\r\n`, `Content-Length: 5\r\n${CHUNKED}`), 400, "bad_request"],
  ["two lengths that differ", post(PET, "Content-Length: 3\r\nContent-Length: 29\r\n"), 400, "bad_request"],
  ["a coding that is not known", post(PET, "Transfer-Encoding: gzip\r\n"), 501, "unknown_transfer_coding"],
  ["two keys", get("/v1/pets", `${HEADERS}Authorization: Bearer k\r\n`), 400, "bad_request"],
  ["a target of 9,000 characters", get(`/${LONG}`), 414, "uri_too_long"],
  ["a header of 9,000 characters", get("/", `${HEADERS}X: ${LONG}\r\n`), 400, "bad_request"],
  ["a path that does not decode", get("/v1/pets/%zz"), 400, "bad_request"],
  ["a path with a NUL", get("/v1/pets/1%00"), 400, "bad_request"],
  ["a method in lower case", head("get", "/v1/pets"), 400, "bad_request"],
  ["TRACE", head("TRACE", "/v1/pets"), 405, "method_not_allowed"],
  ["a version that does not exist", "GET /v1/pets HTTP/7.0\r\n\r\n", 505, "version_not_supported"],
  ["HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_request"],
];

test("nginx's refusals have the petstore's Error shape and do not reach the petstore", (t) =>
  withProxy({}, async (nginx, server) => {
    for (const [what, bytes, status, code] of OWN_RESPONSES) {
      await t.test(`${what}: ${status} ${code}`, async () => {
        const response = await exchange(nginx, bytes);
        assert.deepEqual([response?.status, codeOf(response)], [status, code]);
      });
    }
    // As Java's client sends it, and Deno.serve refuses it.
    const upgrade = "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n";
    assert.equal((await exchange(nginx, get("/v1/pets", HEADERS + upgrade)))?.text, "[]");
    assert.equal(await server.stop(), 0);
    assertLog(server.written.stdout, ["GET /v1/pets 200"]);
  }));
