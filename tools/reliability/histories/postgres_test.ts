/** Some histories of `deno task reliability histories`. search_test.ts shows that it finds defects. */

import assert from "node:assert/strict";
import { whyNoCluster } from "../../../tests/support/postgres/cluster.ts";
import { newSeed } from "../../../tests/support/random.ts";
import { testUnless } from "../../../tests/support/system/commands.ts";
import { Tally } from "./ground.ts";
import { blocksFrom } from "./search.ts";
import { WAYS } from "./tool.ts";

const test = testUnless(whyNoCluster());

/** The number of histories of each way. Half of them are the same in every run. */
const HISTORIES = 20;
const SEED = 20301205;

test("clients cannot tell servers whose connections to PostgreSQL fail from one that does one request after the other", async () => {
  const searches = Object.entries(WAYS).map(async ([name, search]) => {
    const tally = new Tally();
    const blocks = [...blocksFrom(SEED, HISTORIES / 2), ...blocksFrom(newSeed() % 2 ** 31, HISTORIES / 2)];
    const finding = await search({ blocks, tally });
    assert.ok(!finding, finding?.text);
    assert.equal(tally.histories, HISTORIES);
    assert.ok(tally.faults > HISTORIES / 2, `${name}: ${tally}`);
  });
  await Promise.all(searches);
});
