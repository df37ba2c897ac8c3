/** The failures of the contract, each with its typed body. */

import assert from "node:assert/strict";
import { assertFailure, type Case } from "./contract.ts";
import type { PetClient, PetStatus } from "./pet_client.ts";

const WRONG = "request";

export const FAILURES: Case[] = [
  {
    name: "meets 401 without a key",
    notThroughPrism: "it refuses a request without a key itself",
    run: (connect) => refuse(connect(null), "missing_api_key"),
  },
  { name: "meets 401 with a wrong key", run: (connect) => refuse(connect("pk_wrong"), "invalid_api_key") },
  {
    name: "meets 400 for each query parameter",
    notThroughPrism: WRONG,
    run: async (connect) => {
      const client = connect();
      assertFailure(await client.list({ limit: 101 }), 400, "invalid_limit");
      assertFailure(await client.list({ limit: 1.5 }), 400, "invalid_limit");
      assertFailure(await client.list({ status: "lost" as PetStatus }), 400, "invalid_status");
      assertFailure(await client.list({ cursor: "abc" }), 400, "invalid_cursor");
    },
  },
  {
    name: "meets 400 for an invalid pet and for an invalid Idempotency-Key",
    notThroughPrism: WRONG,
    run: async (connect) => {
      const client = connect();
      const answer = await client.create({ name: "", categoryId: 7.5 });
      assertFailure(answer, 400, "invalid_pet");
      assert.match(answer.error?.message ?? "", /name .*; categoryId /);
      const key = { "Idempotency-Key": '"open' };
      assertFailure(await client.create({ name: "Rex", categoryId: 7 }, key), 400, "invalid_idempotency_key");
    },
  },
  {
    name: "meets 400 for a body that is not JSON",
    notThroughPrism: "it does not answer a request whose body it cannot read",
    isPossible: (client) => client.createFrom !== undefined,
    run: async (connect) => assertFailure(await connect().createFrom?.("{") ?? NOTHING, 400, "invalid_json"),
  },
  {
    name: "meets 404 for an unknown pet",
    run: async (connect) => assertFailure(await connect().get(2 ** 50), 404, "pet_not_found"),
  },
  {
    name: "meets 413 for a body that is too large",
    notThroughPrism: WRONG,
    run: async (connect) => {
      const name = "x".repeat(1024 * 1024);
      assertFailure(await connect().create({ name, categoryId: 7 }), 413, "body_too_large");
    },
  },
  {
    name: "meets 415 for a body of another type",
    notThroughPrism: WRONG,
    run: async (connect) => {
      const answer = await connect().create({ name: "Rex", categoryId: 7 }, { "Content-Type": "text/plain" });
      assertFailure(answer, 415, "unsupported_media_type");
    },
  },
  {
    name: "meets 422 for an Idempotency-Key that was used for another pet",
    run: async (connect) => {
      const client = connect();
      const key = { "Idempotency-Key": crypto.randomUUID() };
      await client.create({ name: "Rex", categoryId: 7 }, key);
      assertFailure(await client.create({ name: "Max", categoryId: 7 }, key), 422, "idempotency_key_reused");
    },
  },
  {
    name: "meets 501 for store orders",
    notThroughPrism: "it makes up an answer if the upstream answers 501",
    run: async (connect) => assertFailure(await connect().orders(), 501, "not_implemented"),
  },
];

const NOTHING = { status: 0, headers: new Headers() };

/** Every operation refuses the key. */
async function refuse(client: PetClient, code: string): Promise<void> {
  for (const answer of [client.list(), client.create({ name: "Rex", categoryId: 7 }), client.get(1), client.orders()]) {
    assertFailure(await answer, 401, code);
  }
}
