/** Heads that only a faulty or hostile client sends, to a petstore on `Deno.serve`: keys, targets, headers, methods. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AUTHORIZATION,
  type Case,
  get,
  head,
  HEADERS,
  PET,
  post,
  testResponses,
  withPetstore,
} from "../support/http/raw_petstore.ts";
import { concat } from "../support/http/message.ts";
import { exchange, RawSocket } from "../support/http/raw_socket.ts";

const LATIN = Uint8Array.of(0xe9, 0xff);

testResponses([
  ["two Authorization headers", get("/v1/pets", HEADERS + AUTHORIZATION), 401, "invalid_api_key"],
  ["a key that is not ASCII", get("/v1/pets", "Authorization: Bearer schlüssel\r\n"), 401, "invalid_api_key"],
  ["a long key", get("/v1/pets", `Authorization: Bearer ${"a".repeat(10_000)}\r\n`), 401, "invalid_api_key"],
  ["a target in absolute form", get("http://other.example/v1/pets"), 200],
  ["a target in absolute form without a path", get("http://other.example?x"), 404, "route_not_found"],
  ["OPTIONS *", head("OPTIONS", "*"), 404, "route_not_found"],
  ["GET *", get("*"), 400, null],
  ["CONNECT with an authority", head("CONNECT", "evil.example:80"), 404, "route_not_found"],
  ["a target that begins with two slashes", get("//evil.example/v1/pets"), 404, "route_not_found"],
  ["a target with dot segments", get("/v1/../v1/pets"), 404, "route_not_found"],
  ["a target with encoded dot segments", get("/v1/%2e%2e/v1/pets"), 404, "route_not_found"],
  ["a target with an empty segment", get("/v1//pets"), 404, "route_not_found"],
  ["a path that decodes to no UTF-8", get("/v1/pets/%c3%28"), 404, "pet_not_found"],
  ["a path beyond ASCII that is not encoded", get("/v1/pets/é"), 404, "pet_not_found"],
  ["a path of 60,000 characters", get(`/v1/${"a".repeat(60_000)}`), 404, "route_not_found"],
  ["a parameter that comes twice, once in disguise", get("/v1/pets?%6cimit=1&limit=2"), 400, "invalid_limit"],
  ["separators without parameters", get("/v1/pets?=&&&;"), 200],
  ["a limit in Arabic digits", get("/v1/pets?limit=١"), 400, "invalid_limit"],
  ["a cursor that is not text", get("/v1/pets?cursor=%F0%9F"), 400, "invalid_cursor"],
  ["an invalid Host header", get("/v1/pets", `Host: a b/c?d#@e\r\n${AUTHORIZATION}`), 404, "route_not_found"],
  ["an unclosed bracket as Host", get("/v1/pets", `Host: [\r\n${AUTHORIZATION}`), 200],
  ["no Host header", get("/v1/pets", AUTHORIZATION), 200],
  ["two Host headers", get("/v1/pets", `Host: a\r\n${HEADERS}`), 400, null],
  ["HTTP/1.0", get("/v1/pets", HEADERS, "1.0"), 200],
  ["HTTP/1.0 without Host", get("/v1/pets", AUTHORIZATION, "1.0"), 200],
  ["a version that does not exist", get("/v1/pets", HEADERS, "7.0"), 400, null],
  ["a header value that is not ASCII", concat(`GET /v1/pets HTTP/1.1\r\n${HEADERS}X: `, LATIN, "\r\n\r\n"), 200],
  [
    "a key in Latin-1",
    concat(`GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer `, LATIN, "\r\n\r\n"),
    401,
    "invalid_api_key",
  ],
  ["a NUL in a header", get("/v1/pets", `${HEADERS}X: a\0b\r\n`), 400, null],
  ["a header without colon", get("/v1/pets", `${HEADERS}X\r\n`), 400, null],
  ["a header of 1 MB", get("/v1/pets", `${HEADERS}X: ${"a".repeat(1_000_000)}\r\n`), 400, null],
  ["5,000 headers", get("/v1/pets", HEADERS + "X: a\r\n".repeat(5000)), 400, null],
  ...["PROPFIND", "TRACE", "get", "Post", "constructor", "__proto__", "X".repeat(5000)].map((method): Case => [
    `method ${method.slice(0, 12)}`,
    head(method, "/v1/pets"),
    405,
    "method_not_allowed",
  ]),
  ["a method that is not a token", head("G(T", "/v1/pets"), 400, null],
]);

const PATHS = "/v1/pets /v1/pets?limit=1 /v1/pets/1 /v1/pets/2 /v1/pets/x /v1/store/orders /v1 /".split(" ");

test("HEAD is answered on every path as GET is, without one byte of a body", () =>
  withPetstore(1, async (petstore) => {
    await exchange(petstore, post(PET));
    for (const path of PATHS) {
      const expected = await exchange(petstore, get(path));
      using socket = await RawSocket.open(petstore);
      await socket.send(head("HEAD", path, "Connection: close\r\n"));
      const response = await socket.readResponse();
      assert.equal(response?.status, expected?.status, path);
      for (const name of ["content-type", "content-length", "etag", "link", "deprecation"]) {
        assert.equal(response?.headers.get(name), expected?.headers.get(name), `${path}: ${name}`);
      }
      assert.equal(response?.headers.get("content-length"), String(expected?.text.length), path);
      await socket.readEnd();
    }
  }));

test("OPTIONS is answered with 204 and Allow on every path that exists, and with 404 elsewhere", () =>
  withPetstore(0, async (petstore) => {
    const allowed: (string | null | undefined)[] = [];
    for (const path of PATHS) {
      const response = await exchange(petstore, head("OPTIONS", path));
      allowed.push(response?.headers.get("allow"));
      assert.equal(response?.status, response?.headers.has("allow") ? 204 : 404, path);
    }
    const [list, one] = ["GET, HEAD, POST, OPTIONS", "GET, HEAD, OPTIONS"];
    assert.deepEqual(allowed, [list, list, one, one, one, one, null, null]);
  }));
