import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Endpoint, exchange } from "../../support/http/raw_socket.ts";
import { findSecret } from "./secret_search.ts";
import { PET, type ServerParts } from "../../support/server/server_process.ts";
import { test, withServerHere } from "../../support/server/in_process.ts";
import { ON_NODE } from "../../support/server/serve_task.ts";

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
const DIGEST = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(KEY))).toHex();

const SOURCES: [how: string, parts: ServerParts][] = [
  ["by --key", { args: ["--key", KEY] }],
  ["by PETSTORE_KEYS", { env: { PETSTORE_KEYS: `other,${KEY}` } }],
  ["by its digest", { env: { PETSTORE_KEYS: `sha256:${DIGEST}` } }],
  ["by data/api-key", {}],
  ["by a file that a variable names", { env: { PETSTORE_KEYS_FILE: "data/api-key" } }],
];

const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;

function get(target: string, headers = "", method = "GET"): string {
  return `${method} ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
}

function post(body: string, headers: string): string {
  return get("/v1/pets", `${headers}Content-Length: ${body.length}\r\n`, "POST") + body;
}

const OTHER_METHODS = ["PUT", "OPTIONS", "HEAD", "TRACE"];
const BODIES = ["", "{", "{}", "[]", '{"name":1}', PET];

/** Requests with the right key in its place, and every later mistake. */
const AUTHORIZED = [
  ..."/v1/pets /v1/pets?limit=0 /v1/pets?status=lost /v1/pets?cursor=x /v1/pets/99 /v1/pets/x /v1/cats".split(" "),
  "/",
  "/v1/store/orders",
  "/openapi.json",
  "/livez",
  "/readyz",
].map((target) => get(target, AUTHORIZATION)).concat([
  ...OTHER_METHODS.map((method) => get("/v1/pets/1", AUTHORIZATION, method)),
  ...BODIES.map((body) => post(body, AUTHORIZATION)),
  post("x", `${AUTHORIZATION}Content-Type: text/plain\r\n`),
  get("/v1/pets", `${AUTHORIZATION}Content-Length: 2000000\r\n`, "POST"),
  `GET /v1/pets HTTP/1.1\r\nHost: a/b\r\n${AUTHORIZATION}\r\n`,
]);

const NEARLY_RIGHT_KEYS = [
  KEY.slice(0, -1),
  KEY.slice(1),
  `${KEY}x`,
  KEY.toUpperCase(),
  `"${KEY}"`,
  `${KEY},${KEY}`,
  `${KEY} ${KEY}`,
  ` ,${KEY}`,
];

/** The right key in wrong places, and wrong keys that are nearly right. All are refused. */
const MISPLACED = [
  ...NEARLY_RIGHT_KEYS.map((key) => `Bearer ${key}`),
  KEY,
  `Basic ${btoa("user:" + KEY)}`,
  `Bearer${KEY}`,
  `Token ${KEY}`,
  `Bearer\t${KEY}`,
  `sha256:${DIGEST}`,
].map((value) => get("/v1/pets", `Authorization: ${value}\r\n`)).concat([
  get("/v1/pets", AUTHORIZATION + AUTHORIZATION),
  ..."X-Api-Key Cookie Proxy-Authorization Origin Referer User-Agent If-None-Match X-Forwarded-For".split(" ")
    .map((name) => get("/v1/pets", `${name}: ${KEY}\r\n`)),
  get(`/v1/pets?access_token=${KEY}`),
  get(`/v1/pets?key=${KEY}`),
  get(`/v1/pets?api_key=${KEY}`),
  get(`/v1/pets?limit=1&access_token=${encodeEach(KEY)}`),
  post(`{"key":"${KEY}"}`, ""),
  post(KEY, "Content-Type: application/x-www-form-urlencoded\r\n"),
]);

const MALFORMED = [
  `GET /v1/pets HTTP/9.9\r\n${AUTHORIZATION}\r\n`,
  `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization : Bearer ${KEY}\r\n\r\n`,
  `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\0\r\n\r\n`,
  `GET /v1/pets HTTP/1.1\r\nHost: ${KEY}/x\r\n\r\n`,
  `${KEY}\r\n\r\n`,
];

/** The right key in a path, a parameter or the method, with and without a valid header. */
const IN_TARGETS = [
  `/v1/pets/${KEY}`,
  `/v1/${KEY}`,
  `/${KEY}/pets`,
  `/v1/pets/%70${KEY.slice(1)}`,
  `/v1/pets;key=${KEY}`,
  `/v1/pets?limit=${KEY}`,
  `/v1/pets?status=${KEY}`,
  `/v1/pets?limit=1&cursor=${KEY}`,
].flatMap((target) => [get(target), get(target, AUTHORIZATION)]).concat(get("/v1/pets", "", KEY));

function encodeEach(text: string): string {
  return Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join("");
}

async function assertSilent(server: Endpoint, requests: string[], expected?: number): Promise<void> {
  for (const request of requests) {
    const response = await exchange(server, request);
    assert.ok(response, request);
    if (expected !== undefined) assert.equal(response.status, expected, request);
    const found = findSecret(`${[...response.headers].join("\n")}\n${response.text}`, KEY);
    assert.equal(found, undefined, `${request}\nwas answered with a part of the key`);
  }
}

function prepareFolder(folder: string): void {
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  writeFileSync(join(folder, "data", "api-key"), KEY + "\n", { mode: 0o600 });
}

// How a key is read does not depend on the runtime.
for (const [how, parts] of ON_NODE ? SOURCES.slice(0, 1) : SOURCES) {
  test.inFolder(`a key that is given ${how} is in no response and in no line that the server writes`, (folder) => {
    prepareFolder(folder);
    return withServerHere(parts, async (server) => {
      assert.equal((await server.ask("/v1/pets", KEY)).status, 200);
      await assertSilent(server, AUTHORIZED);
      await assertSilent(server, MISPLACED, 401);
      await assertSilent(server, MALFORMED, 400);
      for (const request of IN_TARGETS) {
        assert.ok([400, 401, 404].includes((await exchange(server, request))?.status ?? 0), request);
      }
      // A failure that is written to standard error.
      rmSync(join(folder, "data", "petstore.db"));
      await assertSilent(server, [post(PET, AUTHORIZATION)], 503);
      assert.equal(await server.stop(), 0);
      const { stdout, stderr } = server.written;
      assert.match(stderr, /POST \/v1\/pets failed/);
      assert.ok(stdout.split("\n").length > AUTHORIZED.length + MISPLACED.length);
      assert.equal(findSecret(stdout + stderr, KEY), undefined);
    });
  });
}

test("the search for a secret finds it in every form that it looks for", () => {
  const numbers = Deno.inspect([...KEY].map((c) => c.charCodeAt(0)).slice(0, 16));
  const forms = [KEY, KEY.slice(20, 40), encodeEach(KEY), btoa(KEY), btoa(`user:${KEY}`), btoa(`u:${KEY}`), numbers];
  for (const form of [...forms, encodeEach(KEY).toUpperCase(), new TextEncoder().encode(KEY).toHex()]) {
    assert.notEqual(findSecret(`before ${form} after`, KEY), undefined, form);
  }
  assert.equal(findSecret(`before ${KEY.slice(0, 8)} ${"0123456789abcdef".repeat(9)} after`, KEY), undefined);
});
