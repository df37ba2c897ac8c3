/** Random valid and invalid requests, compared with a model of the service. `deno task fuzz` sends many more. */

import assert from "node:assert/strict";
import test from "node:test";
import { type Handle, IN_PROCESS } from "./host.ts";
import { type Extent, formatFinding, search } from "./search.ts";
import { FUZZED_STORES } from "./stores.ts";
import { Tally } from "./tally.ts";
import { createMemoryStore } from "../../../mod.ts";
import { withOtherUrl } from "./defects.ts";
import type { StoreKind } from "../../support/stores.ts";

/** The same requests in every run; `deno task fuzz` takes a new seed each time. */
const SEED = 20301205;

const MEMORY = FUZZED_STORES.slice(0, 1);

/** Statuses and codes that the generators must reach. */
const KINDS = ["200", "201", "204", "304", "400 invalid_cursor", "400 invalid_json", "400 invalid_limit"]
  .concat("400 invalid_pet", "400 invalid_status", "401 invalid_api_key", "401 missing_api_key", "404 pet_not_found")
  .concat("404 route_not_found", "405 method_not_allowed", "413 body_too_large", "415 unsupported_media_type")
  .concat("501 not_implemented", "400 invalid_idempotency_key", "422 idempotency_key_reused", "201 replayed");

test("all stores give the same bytes for random requests, as the model predicts and the description allows", async () => {
  const extent = { seed: SEED, sequences: 40 };
  const tally = new Tally();
  const finding = await search({ host: IN_PROCESS, stores: FUZZED_STORES, tally }, extent);
  assert.ok(!finding, finding && formatFinding(finding, extent));
  assert.ok(tally.requests > 400, `only ${tally.requests} requests were sent`);
});

test("many more random requests to a memory store reach every status and code", async () => {
  const extent = { seed: SEED + 1, sequences: 200 };
  const tally = new Tally();
  const finding = await search({ host: IN_PROCESS, stores: MEMORY, tally }, extent);
  assert.ok(!finding, finding && formatFinding(finding, extent));
  assert.deepEqual(KINDS.filter((kind) => !tally.answers.has(kind)), []);
});

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

test("the search finds a store whose answers differ", async () => {
  const odd: StoreKind = {
    name: "odd",
    use: async (run) => {
      const store = createMemoryStore();
      const list = store.list.bind(store);
      store.list = (query) => list(query.limit === 3 ? { ...query, limit: 2 } : query);
      return await run(store);
    },
  };
  const ground = { host: IN_PROCESS, stores: [...MEMORY, odd], tally: new Tally() };
  const finding = await search(ground, { seed: SEED, sequences: 1000 });
  assert.match(finding?.problem ?? "nothing was found", /^the stores disagree:\n200\n/);
  // Three creates and a list with limit=3.
  assert.equal(finding?.sent.length, 4);
});
