/**
 * A key is in no response, in no line of the log, and in nothing that a runtime prints of a
 * petstore. In targets: log_test.ts.
 */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { createPetstore } from "../../mod.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { PET, readKey } from "../support/server/server_process.ts";
import { test, withServerHere } from "../support/server/in_process.ts";

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();

/** Fails if a text has sixteen characters of the key. */
function assertSilent(text: string, what: string): void {
  for (let start = 0; start + 16 <= KEY.length; start++) {
    assert.ok(!text.includes(KEY.slice(start, start + 16)), `${what} shows a part of the key`);
  }
}

const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;

function get(target: string, headers = AUTHORIZATION, method = "GET"): string {
  return `${method} ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
}

function post(body: string): string {
  return get("/v1/pets", `${AUTHORIZATION}Content-Length: ${body.length}\r\n`, "POST") + body;
}

/** Values of the field Authorization that have the key and are wrong. */
const WRONG_VALUES = [`Bearer ${KEY}x`, `Bearer ${KEY},${KEY}`, KEY, `Basic ${btoa("user:" + KEY)}`];

/** Requests with the right key in its place, and later mistakes; then the key in a wrong place. */
const REQUESTS: readonly [request: string, status: number][] = [
  [get("/v1/pets"), 200],
  [get("/v1/pets?limit=0"), 400],
  [get("/v1/pets/99"), 404],
  [get("/v1/pets/1", AUTHORIZATION, "PUT"), 405],
  [post("{"), 400],
  [post(PET), 201],
  ...WRONG_VALUES.map((value): [string, number] => [get("/v1/pets", `Authorization: ${value}\r\n`), 401]),
  [get("/v1/pets", AUTHORIZATION + AUTHORIZATION), 401],
  [get("/v1/pets", `X-Api-Key: ${KEY}\r\nCookie: ${KEY}\r\nOrigin: ${KEY}\r\n`), 401],
  [get(`/v1/pets?access_token=${KEY}`, ""), 401],
  [`GET /v1/pets HTTP/9.9\r\n${AUTHORIZATION}\r\n`, 400],
  [`GET /v1/pets HTTP/1.1\r\nHost: ${KEY}/x\r\n\r\n`, 400],
  [`${KEY}\r\n\r\n`, 400],
];

test.inFolder("a key is in no response and in no line that the server writes, whatever is sent with it", () =>
  withServerHere({ env: { PETSTORE_KEYS: KEY } }, async (server) => {
    for (const [request, status] of REQUESTS) {
      const response = await exchange(server, request);
      assert.equal(response?.status, status, request);
      assertSilent(`${[...response!.headers].join("\n")}\n${response!.text}`, request);
    }
    // A failure is written to standard error.
    rmSync("data/petstore.db");
    assert.equal((await exchange(server, post(PET)))?.status, 503);
    assert.equal(await server.stop(), 0);
    assert.match(server.written.stderr, /POST \/v1\/pets failed/);
    assert.match(server.written.stdout, /GET \/v1\/pets .*401/);
    assertSilent(server.written.stdout + server.written.stderr, "the log");
  }));

test.inFolder("a first start whose log is JSON says where the new key is, and does not show it", () =>
  withServerHere({ args: ["--log=json"] }, async (server) => {
    const key = readKey(".");
    assert.equal(await server.stop(), 0);
    assert.match(server.written.stdout, /"keys":"new, kept in data\/api-key"/);
    assert.ok(!(server.written.stdout + server.written.stderr).includes(key));
  }));

test("a petstore, or an error that has it as its cause, shows no key when a runtime prints it", () => {
  const petstore = createPetstore({ keys: [KEY] });
  for (const printed of [petstore, new Error("thrown later", { cause: petstore })]) {
    assertSilent(Deno.inspect(printed, { depth: 100, showHidden: true }), "the printed object");
  }
});
