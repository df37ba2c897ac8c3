/**
 * Random valid and invalid requests, compared with a model of the service. `FUZZ=1000` sends so
 * many sequences of new ones to each store; about fifteen requests are a sequence.
 */

import process from "node:process";
import test from "node:test";
import { newSeed } from "../../../tests/support/random.ts";
import { MEMORY, STORE_KINDS } from "../../../tests/support/stores.ts";
import { fuzz } from "./fuzz.ts";

const SEQUENCES = Number(process.env["FUZZ"] ?? 25);

/** The same requests in every run, unless more are asked for. */
const SEED = process.env["FUZZ"] === undefined ? 20301205 : newSeed() % 2 ** 31;

for (const kind of STORE_KINDS) {
  // A memory store is fast enough for many more.
  const sequences = kind === MEMORY ? 5 * SEQUENCES : SEQUENCES;
  test(`a petstore on a ${kind.name} store answers random requests as the model predicts and the description allows`, async () => {
    await fuzz(kind, { seed: SEED, sequences });
  });
}
