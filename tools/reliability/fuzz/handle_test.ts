/** Random valid and invalid requests, compared with a model of the service. `deno task reliability fuzz` sends many more. */

import assert from "node:assert/strict";
import test from "node:test";
import { FUZZED_STORES, onStores } from "./ground.ts";
import { search } from "./search.ts";
import { Tally } from "./tally.ts";

/** The same requests in every run; `deno task reliability fuzz` takes a new seed each time. */
const SEED = 20301205;

const MEMORY = FUZZED_STORES.slice(0, 1);

/** Statuses and codes that the generators must reach. */
const KINDS = ["200", "201", "204", "304", "400 invalid_cursor", "400 invalid_json", "400 invalid_limit"]
  .concat("400 invalid_pet", "400 invalid_status", "401 invalid_api_key", "401 missing_api_key", "404 pet_not_found")
  .concat("404 route_not_found", "405 method_not_allowed", "413 body_too_large", "415 unsupported_media_type")
  .concat("501 not_implemented", "400 invalid_idempotency_key", "422 idempotency_key_reused", "201 replayed");

test("all stores give the same bytes for random requests, as the model predicts and the description allows", async () => {
  const tally = new Tally();
  const finding = await search(onStores(FUZZED_STORES), { tally, seed: SEED, sequences: 25 });
  assert.ok(!finding, finding?.text);
  assert.ok(tally.requests > 400, `only ${tally.requests} requests were sent`);
});

test("many more random requests to a memory store reach every status and code", async () => {
  const tally = new Tally();
  const finding = await search(onStores(MEMORY), { tally, seed: SEED + 1, sequences: 100 });
  assert.ok(!finding, finding?.text);
  assert.deepEqual(KINDS.filter((kind) => !tally.responses.has(kind)), []);
});
