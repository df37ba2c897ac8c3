/** A petstore on `Deno.serve`, fed with bytes that no well-meaning client sends. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPetstore, type ErrorCode } from "../../mod.ts";
import { exchange, RawSocket } from "../support/raw_socket.ts";

const KEY = "pk_raw";
const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;
const HEADERS = `Host: petstore.test\r\n${AUTHORIZATION}`;
const PET = '{"name":"Rex","categoryId":7}';
const MIB = 1_048_576;
const CHUNKED = "Transfer-Encoding: chunked\r\n";

/** Serves a petstore while `use` runs; then it must still serve, hold so many pets, and have met nothing unforeseen. */
async function withPetstore(pets: number, use: (port: number) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const { handle } = createPetstore({ keys: [KEY], bodyTimeout: 50, onError: (error) => failures.push(error) });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handle);
  try {
    await use(server.addr.port);
    const list = await exchange(server.addr.port, get("/v1/pets?limit=100"));
    assert.equal(list?.status, 200);
    const expected = Array.from({ length: pets }, (_, i) => ({ id: i + 1, ...JSON.parse(PET), status: "available" }));
    assert.deepEqual(JSON.parse(list.text), expected);
  } finally {
    await server.shutdown();
  }
  assert.deepEqual(failures, []);
}

function get(target: string, headers = HEADERS, version = "1.1"): string {
  return `GET ${target} HTTP/${version}\r\n${headers}\r\n`;
}

function head(method: string, target: string, headers = ""): string {
  return `${method} ${target} HTTP/1.1\r\n${HEADERS}${headers}\r\n`;
}

function post(body: string | Uint8Array, headers?: string): Uint8Array {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const fields = headers ?? `Content-Length: ${bytes.length}\r\n`;
  return concat(head("POST", "/v1/pets", `Content-Type: application/json\r\n${fields}`), bytes);
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function concat(start: string, bytes: Uint8Array, end = ""): Uint8Array {
  const [first, last] = [new TextEncoder().encode(start), new TextEncoder().encode(end)];
  const joined = new Uint8Array(first.length + bytes.length + last.length);
  joined.set(first);
  joined.set(bytes, first.length);
  joined.set(last, first.length + bytes.length);
  return joined;
}

function assertError(response: { status: number; text: string } | undefined, status: number, code: ErrorCode): void {
  assert.equal(response?.status, status);
  const error = JSON.parse(response.text);
  assert.deepEqual(Object.keys(error), ["code", "message", "status"]);
  assert.deepEqual([error.code, error.status], [code, status]);
}

/** What is sent, and the status that comes; of an error its code, or `null` where Deno.serve answers before us. */
type Case = [what: string, bytes: string | Uint8Array, status: number, code?: ErrorCode | null];

const LATIN = Uint8Array.of(0xe9, 0xff);

const CASES: Case[] = [
  ["two Authorization headers", get("/v1/pets", HEADERS + AUTHORIZATION), 401, "invalid_api_key"],
  ["a key that is not ASCII", get("/v1/pets", "Authorization: Bearer schlüssel\r\n"), 401, "invalid_api_key"],
  [
    "a key of 10,000 characters",
    get("/v1/pets", `Authorization: Bearer ${"a".repeat(10_000)}\r\n`),
    401,
    "invalid_api_key",
  ],
  ["a target in absolute form", get("http://other.example/v1/pets"), 200],
  ["a target in absolute form without a path", get("http://other.example?x"), 404, "route_not_found"],
  ["OPTIONS *", head("OPTIONS", "*"), 404, "route_not_found"],
  ["GET *", get("*"), 400, null],
  ["CONNECT with an authority", head("CONNECT", "evil.example:80"), 404, "route_not_found"],
  ["a target that begins with two slashes", get("//evil.example/v1/pets"), 404, "route_not_found"],
  ["a target with dot segments", get("/v1/../v1/pets"), 404, "route_not_found"],
  ["a target with encoded dot segments", get("/v1/%2e%2e/v1/pets"), 404, "route_not_found"],
  ["a target with an empty segment", get("/v1//pets"), 404, "route_not_found"],
  ["a target with a slash at its end", get("/v1/pets/"), 404, "route_not_found"],
  ["an encoded slash", get("/v1/pets%2f1"), 404, "route_not_found"],
  ["a path that does not decode", get("/v1/pets/%zz"), 404, "pet_not_found"],
  ["a path that decodes to no UTF-8", get("/v1/pets/%c3%28"), 404, "pet_not_found"],
  ["a path with an encoded NUL", get("/v1/pets/%00"), 404, "pet_not_found"],
  ["a path beyond ASCII that is not encoded", get("/v1/pets/é"), 404, "pet_not_found"],
  ["a path of 60,000 characters", get(`/v1/${"a".repeat(60_000)}`), 404, "route_not_found"],
  ["an escape that nobody needed", get("/v1/%70ets"), 200],
  ["a value that does not decode", get("/v1/pets?limit=%zz"), 400, "invalid_limit"],
  ["a parameter that comes twice", get("/v1/pets?limit=1&limit=2"), 400, "invalid_limit"],
  ["a parameter that comes twice, once in disguise", get("/v1/pets?%6cimit=1&limit=2"), 400, "invalid_limit"],
  ["separators without parameters", get("/v1/pets?=&&&;"), 200],
  ["a limit in Arabic digits", get("/v1/pets?limit=١"), 400, "invalid_limit"],
  ["a limit in encoded Arabic digits", get("/v1/pets?limit=%D9%A1"), 400, "invalid_limit"],
  ["a cursor that is no text", get("/v1/pets?cursor=%F0%9F"), 400, "invalid_cursor"],
  ["names that every object has", get("/v1/pets?__proto__=1&constructor=2"), 200],
  ["a Host header that is none", get("/v1/pets", `Host: a b/c?d#@e\r\n${AUTHORIZATION}`), 404, "route_not_found"],
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
  ["a method that is no token", head("G(T", "/v1/pets"), 400, null],
  ["an empty body", post(""), 400, "invalid_json"],
  ["no body at all", head("POST", "/v1/pets"), 400, "invalid_json"],
  ["100,000 opening brackets", post("[".repeat(100_000)), 400, "invalid_json"],
  ["100,000 opening objects", post('{"a":'.repeat(100_000)), 400, "invalid_json"],
  ["100,000 brackets, opened and closed", post("[".repeat(100_000) + "]".repeat(100_000)), 400, "invalid_pet"],
  ["a pet in UTF-16", post(Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0)), 400, "invalid_json"],
  ["a body that is not UTF-8", post(Uint8Array.of(0x22, 0xc3, 0x28, 0x22)), 400, "invalid_json"],
  ["a length that is negative", post(PET, "Content-Length: -1\r\n"), 400, null],
  ["two lengths that differ", post(PET, `Content-Length: 3\r\nContent-Length: ${PET.length}\r\n`), 400, null],
  // Whoever of two parties believes the other header reads another request: smuggling (RFC 9112 §6.1).
  ["both a length and chunks", post(`${chunk(PET)}0\r\n\r\n`, `Content-Length: 5\r\n${CHUNKED}`), 400, null],
  ["a transfer coding that is not known", post(PET, "Transfer-Encoding: gzip\r\n"), 400, null],
  ["a body that stalls", post('{"name":"Rex"', "Content-Length: 29\r\n"), 408, "request_timeout"],
  ["chunks that stall", post('d\r\n{"name', CHUNKED), 408, "request_timeout"],
  ["3 MiB that were declared and not sent", post("", `Content-Length: ${3 * MIB}\r\n`), 413, "body_too_large"],
  ["3 MiB that were sent", post(new Uint8Array(3 * MIB)), 413, "body_too_large"],
  ["3 MiB in chunks", post(`${chunk("x".repeat(MIB)).repeat(3)}0\r\n\r\n`, CHUNKED), 413, "body_too_large"],
  ["chunks beyond the limit, never ended", post(chunk("x".repeat(MIB + 1)), CHUNKED), 413, "body_too_large"],
];

for (const [what, bytes, status, code] of CASES) {
  test(`Deno.serve with a petstore answers ${status} to ${what}`, () =>
    withPetstore(0, async (port) => {
      const response = await exchange(port, bytes);
      if (code) return assertError(response, status, code);
      assert.equal(response?.status, status);
      assert.equal(response.text, code === null ? "" : "[]");
    }));
}

const CREATED: [what: string, bytes: string | Uint8Array][] = [
  ["a pet after a byte-order mark", post(`\uFEFF${PET}`)],
  ["a pet in chunks", post(`${chunk(PET.slice(0, 9))}${chunk(PET.slice(9))}0\r\n\r\n`, CHUNKED)],
  ["a pet in chunks with extensions and a trailer", post(`1d;a=b\r\n${PET}\r\n0\r\nX: y\r\n\r\n`, CHUNKED)],
  ["a pet beside 100,000 brackets", post(`${PET.slice(0, -1)},"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)],
  ["a pet whose length is said twice", post(PET, `Content-Length: 29\r\nContent-Length: 29\r\n`)],
  ["a pet with an expectation that nobody knows", post(PET, "Content-Length: 29\r\nExpect: miracles\r\n")],
];

for (const [what, bytes] of CREATED) {
  test(`Deno.serve with a petstore stores ${what}`, () =>
    withPetstore(1, async (port) => assert.equal((await exchange(port, bytes))?.status, 201)));
}

const PATHS = [
  "/v1/pets",
  "/v1/pets?limit=1",
  "/v1/pets/1",
  "/v1/pets/2",
  "/v1/pets/x",
  "/v1/store/orders",
  "/v1",
  "/",
];

test("HEAD is answered on every path as GET is, without one byte of a body", () =>
  withPetstore(1, async (port) => {
    await exchange(port, post(PET));
    for (const path of PATHS) {
      const expected = await exchange(port, get(path));
      using socket = await RawSocket.open(port);
      await socket.send(head("HEAD", path, "Connection: close\r\n"));
      const answer = await socket.readResponse("HEAD");
      assert.equal(answer?.status, expected?.status, path);
      for (const name of ["content-type", "content-length", "etag", "link", "deprecation"]) {
        assert.equal(answer?.headers.get(name), expected?.headers.get(name), `${path}: ${name}`);
      }
      assert.equal(answer?.headers.get("content-length"), String(expected?.text.length), path);
      assert.equal(await socket.readToEnd(), "", path);
    }
  }));

test("OPTIONS is answered with 204 and Allow on every path that exists, and with 404 elsewhere", () =>
  withPetstore(0, async (port) => {
    const allowed: (string | undefined)[] = [];
    for (const path of PATHS) {
      const answer = await exchange(port, head("OPTIONS", path));
      allowed.push(answer?.headers.get("allow"));
      assert.equal(answer?.status, answer?.headers.has("allow") ? 204 : 404, path);
    }
    const [list, one] = ["GET, HEAD, POST, OPTIONS", "GET, HEAD, OPTIONS"];
    assert.deepEqual(allowed, [list, list, one, one, one, one, undefined, undefined]);
  }));

test("a body that ends before its declared length leaves no pet behind", () =>
  withPetstore(0, async (port) => {
    using socket = await RawSocket.open(port);
    await socket.send(post(PET, "Content-Length: 100\r\n"));
    await socket.endSending();
    assertError(await socket.readResponse(), 400, "invalid_json");
    assert.equal(await socket.readToEnd(), "");
  }));

for (const what of ["zz\r\n", "ffffffffffffffffff\r\n", "5\r\n{}"]) {
  test(`chunks that are broken, ${JSON.stringify(what)}, end the connection and leave no pet behind`, () =>
    withPetstore(0, async (port) => {
      using socket = await RawSocket.open(port);
      await socket.send(post(what, CHUNKED));
      await socket.endSending();
      // Deno.serve closes without an answer when it cannot frame a body; what it does answer is a client's error.
      const answer = await socket.readResponse();
      assert.ok(answer === undefined || (answer.status >= 400 && answer.status < 500), `${answer?.status}`);
      assert.equal(await socket.readToEnd(), "");
    }));
}

for (const part of ["", "POST", "POST /v1/pets HTTP/1.1\r\nHo", head("POST", "/v1/pets", "Content-Length: 29\r\n")]) {
  test(`a client that leaves after ${part.length} bytes does no harm`, () =>
    withPetstore(0, async (port) => {
      using socket = await RawSocket.open(port);
      await socket.send(part);
    }));
}

test("a client that expects 100 Continue is told to go on, and then its pet is stored", () =>
  withPetstore(1, async (port) => {
    using socket = await RawSocket.open(port);
    await socket.send(post("", `Content-Length: ${PET.length}\r\nExpect: 100-continue\r\n`));
    assert.equal((await socket.readResponse())?.status, 100);
    await socket.send(PET);
    assert.equal((await socket.readResponse())?.status, 201);
  }));

test("requests that are sent without waiting are answered in their order", () =>
  withPetstore(1, async (port) => {
    using socket = await RawSocket.open(port);
    await socket.send(concat(get("/v1/pets/1"), post(PET), get("/v1/pets/1") + get("/v1/pets", "")));
    const statuses: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await socket.readResponse())?.status);
    assert.deepEqual(statuses, [404, 201, 200, 401]);
  }));

for (
  const [what, headers, body] of [
    ["a length", `Content-Length: ${2 * MIB}\r\n`, "x".repeat(2 * MIB)],
    ["chunks", CHUNKED, `${chunk("x".repeat(2 * MIB))}0\r\n\r\n`],
  ] as const
) {
  test(`a body that is too large, with ${what}, is never taken for the next request`, () =>
    withPetstore(0, async (port) => {
      using socket = await RawSocket.open(port);
      const sent = socket.send(concat("", post(body, headers), get("/v1/pets")));
      assertError(await socket.readResponse(), 413, "body_too_large");
      // Either the connection goes on behind the body, or it ends; it neither hangs nor answers something else.
      const next = await socket.readResponse();
      if (next !== undefined) assert.deepEqual([next.status, next.text], [200, "[]"]);
      await sent;
    }));
}

test("a large body without a key is refused with 401 and not with a broken connection", () =>
  withPetstore(0, async (port) => {
    const request = post(new Uint8Array(3 * MIB));
    const start = new TextDecoder().decode(request.subarray(0, 200)).replace(AUTHORIZATION, "");
    assertError(await exchange(port, concat(start, request.subarray(200))), 401, "missing_api_key");
  }));
