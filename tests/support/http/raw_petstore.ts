/** A petstore on `Deno.serve`, to which tests send requests that are right and wrong. Deno only. */

import { openApiOf } from "../descriptions.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPetstore, type ErrorCode, type PetstoreOptions } from "../../../mod.ts";
import { createResponseValidator, type SeenResponse } from "../openapi_validator.ts";
import { get, KEY, PET } from "./requests.ts";
import { type Endpoint, exchange } from "./raw_socket.ts";
import { withDenoServe } from "./deno_serve.ts";

/** Serves a petstore while `use` runs. Afterwards it must hold `pets` pets and have reported no failure. */
export async function withPetstore(
  pets: number,
  use: (petstore: Endpoint) => Promise<void>,
  options: Pick<PetstoreOptions, "bodyTimeoutMs"> = {},
): Promise<void> {
  const failures: unknown[] = [];
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
      withPetstore(
        0,
        async (petstore) => {
          const response = await exchange(petstore, bytes);
          if (code) return assertError(response, status, code);
          assert.equal(response?.status, status);
          assert.equal(response.text, "[]");
        },
        // On a busy machine, a body that does not stall may take as long.
        status === 408 ? { bodyTimeoutMs: 50 } : {},
      ));
  }
}
