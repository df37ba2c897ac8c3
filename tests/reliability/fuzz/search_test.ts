/** The search itself: it finds what is wrong. Whether the service is right on Node and Bun too, handle_test.ts shows. */

import assert from "node:assert/strict";
import test from "node:test";
import { createMemoryStore } from "../../../mod.ts";
import type { StoreKind } from "../../support/stores.ts";
import { withOtherUrl } from "./defects.ts";
import { type Handle, IN_PROCESS } from "./host.ts";
import { type Extent, formatFinding, search } from "./search.ts";
import { FUZZED_STORES } from "./stores.ts";
import { Tally } from "./tally.ts";

/** The same requests in every run. Most seeds lead to the same curl lines, but some take ten times as long. */
const SEED = 20301207;

const MEMORY = FUZZED_STORES.slice(0, 1);

/** A defect, the expected problem, and the curl lines of the shortest sequence that shows it. */
type Defect = [what: string, wrap: (handle: Handle) => Handle, told: RegExp, lines: RegExp[]];

const DEFECTS: Defect[] = [
  [
    "clamps a limit",
    withOtherUrl((url) => url.replace(/limit=10[1-9]/, "limit=100")),
    /the status is (200|304), foretold was 400 invalid_limit/,
    [/^curl -s -i -H 'Authorization: Bearer pk_fuzz' 'http:\/\/127\.0\.0\.1:8000\/v1\/pets\?limit=10[12]'$/],
  ],
  [
    "rounds a categoryId",
    (handle) => async (request) => {
      const { status, headers, body } = await handle(request);
      if (status !== 201) return new Response(body, { status, headers });
      const text = await new Response(body).text();
      return new Response(text.replace(/(?<="categoryId":)-?\d+/, (id) => String(BigInt(Number(id)))), {
        status,
        headers,
      });
    },
    /the body is .*, foretold was/,
    [/^curl -s -i -X POST .*--data-raw '\{"name":"[^"]*","categoryId":-?\d{16,}\}' http:\/\/127\.0\.0\.1:8000\/v1\/pets$/],
  ],
  [
    "forgets the second pet",
    withOtherUrl((url) => url.replace("/pets/2", "/pets/99")),
    /the status is 404, foretold was 200/,
    [/^curl -s -i -X POST /, /^curl -s -i -X POST /, /^curl .*\/v1\/pets\/2'?$/],
  ],
];

for (const [what, wrap, told, lines] of DEFECTS) {
  test(`the search finds a petstore that ${what}, and prints the fewest requests that show it as curl lines`, async () => {
    const extent: Extent = { seed: SEED, sequences: 1000 };
    const ground = { host: IN_PROCESS, stores: MEMORY, tally: new Tally(), wrap };
    const finding = await search(ground, extent);
    assert.ok(finding, "the defect was not found");
    assert.match(finding.problem, told);
    const printed = formatFinding(finding, extent);
    const curls = printed.split("\n").filter((line) => /^(curl|printf) /.test(line));
    assert.equal(curls.length, lines.length, printed);
    for (const [i, line] of lines.entries()) assert.match(curls[i] ?? "", line);
    assert.match(printed, new RegExp(`--seed ${SEED}`));
  });
}

test("the search finds a store whose responses differ", async () => {
  const odd: StoreKind = {
    name: "odd",
    sharing: "none",
    unsupported: ["checkWrites"],
    open() {
      const store = createMemoryStore();
      const list = store.list.bind(store);
      store.list = (query) => list(query.limit === 3 ? { ...query, limit: 2 } : query);
      return store;
    },
  };
  const ground = { host: IN_PROCESS, stores: [...MEMORY, odd], tally: new Tally() };
  const finding = await search(ground, { seed: SEED, sequences: 1000 });
  assert.match(finding?.problem ?? "nothing was found", /^the stores disagree:\n200\n/);
  // Three creates and a list with limit=3.
  assert.equal(finding?.sent.length, 4);
});
