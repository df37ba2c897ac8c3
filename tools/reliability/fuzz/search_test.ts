/** The search itself: it finds what is wrong. Whether the service is right on Node and Bun too, handle_test.ts shows. */

import assert from "node:assert/strict";
import test from "node:test";
import { createMemoryStore } from "../../../mod.ts";
import type { StoreKind } from "../../../tests/support/stores.ts";
import { FUZZED_STORES, type Handle, onStores } from "./ground.ts";
import { search } from "./search.ts";
import { Tally } from "./tally.ts";

/** The same requests in every run. Most seeds lead to the same findings, but some take ten times as long. */
const SEED = 20301209;

const MEMORY = FUZZED_STORES.slice(0, 1);

const extent = () => ({ tally: new Tally(), seed: SEED, sequences: 1000 });

/** Changes the URL of a GET. */
function withOtherUrl(change: (url: string) => string): (handle: Handle) => Handle {
  return (handle) => (request) => {
    if (request.method !== "GET") return handle(request);
    // Each by name, because Deno's iterator drops the first of two headers if it is empty.
    const headers = [...request.headers.keys()].map((
      name,
    ): [string, string] => [name, request.headers.get(name) ?? ""]);
    return handle(new Request(change(request.url), { headers }));
  };
}

/** A defect, the expected problem, and how many requests show it. */
const DEFECTS: [what: string, wrap: (handle: Handle) => Handle, told: RegExp, requests: number][] = [
  [
    "clamps a limit",
    withOtherUrl((url) => url.replace(/limit=10[1-9]/, "limit=100")),
    /the status is (200|304), foretold was 400 invalid_limit/,
    1,
  ],
  [
    "rounds a categoryId",
    (handle) => async (request) => {
      const { status, headers, body } = await handle(request);
      const text = await new Response(body).text();
      const rounded = text.replace(/(?<="categoryId":)-?\d+/, (id) => String(BigInt(Number(id))));
      return new Response(status === 201 ? rounded : text || null, { status, headers });
    },
    /the body is .*, foretold was/,
    1,
  ],
  [
    "forgets the second pet",
    withOtherUrl((url) => url.replace("/pets/2", "/pets/99")),
    /the status is 404, foretold was 200/,
    3,
  ],
];

for (const [what, wrap, told, requests] of DEFECTS) {
  test(`the search finds a petstore that ${what}, and prints the fewest requests that show it`, async () => {
    const finding = await search(onStores(MEMORY, wrap), extent());
    assert.match(finding?.problem ?? "nothing was found", told);
    assert.equal(finding!.requests, requests, finding!.text);
    assert.match(finding!.text, new RegExp(`"method":.*--seed ${SEED}$`, "s"));
  });
}

test("the search finds a store whose responses differ", async () => {
  const odd: StoreKind = {
    name: "odd",
    sharing: "none",
    open() {
      const store = createMemoryStore();
      const list = store.list.bind(store);
      store.list = (query) => list(query.limit === 3 ? { ...query, limit: 2 } : query);
      return store;
    },
  };
  const finding = await search(onStores([...MEMORY, odd]), extent());
  assert.match(finding?.problem ?? "nothing was found", /^the stores disagree:\n200\n/);
  // Three creates and a list with limit=3.
  assert.equal(finding?.requests, 4);
});
