/** A client that puts its key where none belongs has not thereby put it into the log. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { exchange } from "../../support/http/raw_socket.ts";
import { findSecret } from "./secret_search.ts";
import { withFreshServer } from "../../support/server/server_process.ts";

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();

const TARGETS: [where: string, targets: string[]][] = [
  ["the path", [`/v1/pets/${KEY}`, `/v1/${KEY}`, `/${KEY}/pets`, `/v1/pets/%70${KEY.slice(1)}`, `/v1/pets;key=${KEY}`]],
  ["a parameter of the API", [`/v1/pets?limit=${KEY}`, `/v1/pets?status=${KEY}`, `/v1/pets?limit=1&cursor=${KEY}`]],
];

for (const [where, targets] of TARGETS) {
  test(`a key that a client sends in ${where} is not in the log`, () =>
    withFreshServer({ args: ["--store=memory:"], env: { PETSTORE_KEYS: KEY } }, async (server) => {
      for (const target of targets) {
        for (const authorization of ["", `Authorization: Bearer ${KEY}\r\n`]) {
          const answer = await exchange(server, `GET ${target} HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`);
          assert.ok([400, 401, 404].includes(answer?.status ?? 0), `${answer?.status}`);
        }
      }
      assert.equal(await server.stop(), 0);
      assert.equal(findSecret(server.written.stdout + server.written.stderr, KEY), undefined);
    }));
}

test("a method that is a key is not in the log", () =>
  withFreshServer({ args: ["--store=memory:"], env: { PETSTORE_KEYS: KEY } }, async (server) => {
    assert.equal((await exchange(server, `${KEY} /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n`))?.status, 401);
    assert.equal(await server.stop(), 0);
    assert.equal(findSecret(server.written.stdout + server.written.stderr, KEY), undefined);
  }));
