/**
 * Random valid and invalid requests, compared with a model of the service. `FUZZ=1000` sends so many sequences of new ones to each
 * store; about fifteen requests are a sequence.
 */

import assert from "node:assert/strict";
import process from "node:process";
import test from "node:test";
import { newSeed } from "../../../tests/support/random.ts";
import { MEMORY, STORE_KINDS } from "../../../tests/support/stores.ts";
import { fuzz } from "./fuzz.ts";

const SEQUENCES = Number(process.env["FUZZ"] ?? 25);

/** The same requests in every run, unless more are asked for. */
const SEED = process.env["FUZZ"] === undefined ? 20301205 : newSeed() % 2 ** 31;

/** Statuses and codes that the generators must reach. */
const OUTCOMES = ["200", "201", "204", "304", "400 invalid_cursor", "400 invalid_json", "400 invalid_limit"]
  .concat("400 invalid_pet", "400 invalid_status", "401 invalid_api_key", "401 missing_api_key", "404 pet_not_found")
  .concat("404 route_not_found", "405 method_not_allowed", "413 body_too_large", "415 unsupported_media_type")
  .concat("501 not_implemented", "400 invalid_idempotency_key", "422 idempotency_key_reused", "201 replayed");

test("all stores give the same bytes for random requests, as the model predicts and the description allows", async () => {
  await fuzz(STORE_KINDS, { seed: SEED, sequences: SEQUENCES });
});

test("many more random requests to a memory store reach every status and code", async () => {
  const seen = await fuzz([MEMORY], { seed: SEED + 1, sequences: 4 * SEQUENCES });
  assert.deepEqual(OUTCOMES.filter((outcome) => !seen.has(outcome)), []);
});
