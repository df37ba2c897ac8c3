/** The cases of lists: what this project adds to section 4.1 of the specification. */

import * as assert from "./assert.ts";
import { addition, type HttpCase } from "./case.ts";
import { addPets, openEnd, pagesFrom } from "./catalogue.ts";
import { assertResponse, idsOf } from "./responses.ts";
import { STATUSES } from "../pet_values.ts";

/** Queries that are refused, by the end of the code. */
const REFUSED = {
  limit: [
    ..."0 101 -1 +1 1.0 1e1 %FF ten %D9%A1 05 10abc 5,5 5%20".split(" ").map((limit) => `limit=${limit}`),
    ..."limit limit=5&li%6Dit=5 status=sold&limit=0".split(" "),
    `limit=${"1".repeat(5000)}`,
  ],
  status: [
    ..."lost sold%20 sold,pending % constructor Sold".split(" ").map((status) => `status=${status}`),
    ..."status status=sold&status=sold limit=1&status=lost".split(" "),
  ],
  cursor: "cursor cursor=abc cursor=YWZ0ZXI6MQ&cursor=YWZ0ZXI6MQ cursor=%00 limit=1&cursor=abc".split(" "),
};

/** The statuses of the pets through whose lists links must lead. */
const ADDED = [...STATUSES, ...STATUSES];

const IGNORED = "page=2 Limit=0 limit[]=0 &&;=& %zz=%zz a=1&a=2 __proto__=1".split(" ");

export const LIST_CASES: HttpCase[] = [
  ...addition(
    "pets.list",
    "A known parameter that is invalid, repeated or empty is an error; unknown ones are ignored",
    {
      async "refuses every invalid or repeated limit, status and cursor"(api) {
        for (const [parameter, queries] of Object.entries(REFUSED)) {
          const code = `invalid_${parameter}` as "invalid_limit";
          for (const query of queries) assertResponse(await api.get(`/pets?${query}`), 400, code);
        }
      },
      async "ignores parameters it does not know, however they are written"(api) {
        for (const query of IGNORED) assertResponse(await api.get(`/pets?${query}`), 200);
      },
    },
  ),
  ...addition(
    "pets.list",
    "A list is in the order of id. Link leads to the next page on every page but the last, and each pet comes once",
    {
      async "leads through the list of each status in pages of any length"(api) {
        for (const status of [undefined, ...STATUSES]) {
          const { first, pageOf } = await openEnd(api, status);
          const added = await addPets(api, ADDED);
          const ids = [first, ...added.filter((_, i) => status === undefined || ADDED[i] === status)];
          for (const limit of [1, 2, ids.length, 100]) {
            const pages: bigint[][] = [];
            for await (const page of pagesFrom(api, pageOf(limit))) pages.push(idsOf(page));
            // All pages but the last are full.
            const wanted = Array.from(
              { length: Math.ceil(ids.length / limit) },
              (_, i) => ids.slice(limit * i, limit * (i + 1)),
            );
            assert.equal(pages, wanted, `The ids of the pages of ${limit} of ${status ?? "all"}`);
          }
        }
      },
    },
  ),
];
