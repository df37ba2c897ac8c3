/**
 * Random valid and invalid requests, compared with a model of the service. `FUZZ=1000` sends so many sequences of new ones to each
 * store; about fifteen requests are a sequence.
 */

import process from "node:process";
import test from "node:test";
import { newSeed } from "../../../tests/support/random.ts";
import { MEMORY, STORE_KINDS } from "../../../tests/support/stores.ts";
import { fuzz } from "./fuzz.ts";

const SEQUENCES = Number(process.env["FUZZ"] ?? 25);

/** The same requests in every run, unless more are asked for. */
const SEED = process.env["FUZZ"] === undefined ? 20301205 : newSeed() % 2 ** 31;

test("all stores give the same bytes for random requests, as the model predicts and the description allows", async () => {
  await fuzz(STORE_KINDS, { seed: SEED, sequences: SEQUENCES });
});

test("a memory store answers many more random requests as the model predicts", async () => {
  await fuzz([MEMORY], { seed: SEED + 1, sequences: 4 * SEQUENCES });
});
