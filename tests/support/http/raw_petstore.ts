/** A petstore on `Deno.serve`, and the bytes of requests to it, right and wrong. Deno only. */

import { openApiOf } from "../descriptions.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPetstore, type ErrorCode } from "../../../mod.ts";
import { createResponseValidator, type SeenResponse } from "../openapi_validator.ts";
import { concat } from "./message.ts";
import { type Endpoint, exchange } from "./raw_socket.ts";
import { withDenoServe } from "./deno_serve.ts";

export const KEY = "k";
export const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;
export const HEADERS = `Host: pets.example\r\n${AUTHORIZATION}`;
export const PET = '{"name":"Rex","categoryId":7}';
export const MIB = 1_048_576;
export const CHUNKED = "Transfer-Encoding: chunked\r\n";

/** Serves a petstore while `use` runs. Afterwards it must hold `pets` pets and have reported no failure. */
export async function withPetstore(pets: number, use: (petstore: Endpoint) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const options = { bodyTimeoutMs: 50 };
  const validate = createResponseValidator(openApiOf(options), "/v1");
  const { handle } = createPetstore({ keys: [KEY], ...options, onError: ({ error }) => failures.push(error) });
  await withDenoServe(handle, async (port) => {
    const petstore = { port, validate };
    await use(petstore);
    const list = await exchange(petstore, get("/v1/pets?limit=100"));
    assert.equal(list?.status, 200);
    const expected = Array.from({ length: pets }, (_, i) => ({ id: i + 1, ...JSON.parse(PET), status: "available" }));
    assert.deepEqual(JSON.parse(list.text), expected);
  });
  assert.deepEqual(failures, []);
}

export function get(target: string, headers = HEADERS, version = "1.1"): string {
  return `GET ${target} HTTP/${version}\r\n${headers}\r\n`;
}

export function head(method: string, target: string, headers = ""): string {
  return `${method} ${target} HTTP/1.1\r\n${HEADERS}${headers}\r\n`;
}

export function post(body: string | Uint8Array, headers?: string): Uint8Array {
  const fields = headers ?? `Content-Length: ${concat(body).length}\r\n`;
  return concat(head("POST", "/v1/pets", `Content-Type: application/json\r\n${fields}`), body);
}

export function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

export function assertError(response: SeenResponse | undefined, status: number, code: ErrorCode): void {
  assert.equal(response?.status, status);
  const error = JSON.parse(response.text);
  assert.deepEqual(Object.keys(error), ["code", "message", "status"]);
  assert.deepEqual([error.code, error.status], [code, status]);
}

/** The bytes, the status, and the code of an error. */
export type Case = [what: string, bytes: string | Uint8Array, status: number, code?: ErrorCode];

export function testResponses(cases: Case[]): void {
  for (const [what, bytes, status, code] of cases) {
    test(`Deno.serve with a petstore answers ${status} to ${what}`, () =>
      withPetstore(0, async (petstore) => {
        const response = await exchange(petstore, bytes);
        if (code) return assertError(response, status, code);
        assert.equal(response?.status, status);
        assert.equal(response.text, "[]");
      }));
  }
}
