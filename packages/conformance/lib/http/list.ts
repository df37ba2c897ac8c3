/** The cases of lists: section 4.1 of the specification. */

import { assert, assertStatus } from "./assert.ts";
import { addition, assertLength, assertResponse, cases, type HttpCase, ON_BOTH, ON_HOST, ON_STORE } from "./case.ts";
import { fillCatalogue, nextQuery, openEnd, withLimit } from "./catalogue.ts";
import { idsOf, petsOf } from "./exact.ts";

const LISTS = addition("pets.list", "A list is an array in the order of id; limit is 1 to 100, by default 20");
const QUERY = addition(
  "pets.list",
  "A known parameter that is invalid, repeated or empty is an error; unknown ones are ignored",
);

const REFUSED = {
  invalid_limit: [
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=+1",
    "limit=1.0",
    "limit=1e1",
    "limit=0x10",
    "limit",
    "limit=%",
    "limit=%FF",
    "limit=ten",
    "limit=%D9%A1",
    "limit=5&li%6Dit=5",
    "limit=05",
    "&limit=0",
    "limit=" + "1".repeat(5000),
    "limit=10abc",
    "limit=5,5",
    "limit=5%20",
    "limit=5.5",
  ],
  invalid_status: [
    "status",
    "status=lost",
    "status=sold%20",
    "status=sold,pending",
    "status=sold&status=sold",
    "status=%",
    "status=constructor",
    "status=Sold",
    "status=all",
    "status=sol",
  ],
  invalid_cursor: ["cursor", "cursor=abc", "cursor=YWZ0ZXI6MQ&cursor=YWZ0ZXI6MQ", "cursor=%00"],
};

/** The message about each parameter: it says what would be right, and quotes no more than a part of a long value. */
const TOLD = {
  invalid_limit: /^(?=.*limit.*1.*100).{1,299}$/,
  invalid_status: /^(?=.*status.*available.*pending.*sold).{1,299}$/,
  invalid_cursor: /^(?=.*cursor).{1,299}$/,
};

const IGNORED = ["page=2", "Limit=0", "limit[]=0", "li06Dit=0", "&&;=&", "%zz=%zz", "a=1&a=2", "__proto__=1"];

const LIMITS: Record<string, number> = { "": 20, "?limit=1": 1, "?limit=100": 100, "?limit=7": 7, "?li%6Dit=%35": 5 };

export const LIST_CASES: HttpCase[] = [
  ...cases({ ...LISTS, ...ON_STORE }, {
    async "lists 20 pets in ascending order of id, or as many as the limit from 1 to 100"(api) {
      await fillCatalogue(api);
      const all = idsOf(await api.get("/pets?limit=100"));
      for (const [query, count] of Object.entries(LIMITS)) {
        const response = await api.get(`/pets${query}`);
        const ids = idsOf(response);
        assert.deepEqual(ids, all.slice(0, count), `The ids of the list ${query || "without a query"}`);
        assert.ok(ids.every((id, i) => i === 0 || id > ids[i - 1]!), "The ids of a list must ascend");
        const next = nextQuery(response);
        assert.ok(next !== undefined, `The list ${query || "without a query"} has no Link to its next page`);
        // A cursor is opaque, but that of this library needs no encoding.
        const ours = new RegExp(`^\\?limit=${count}&cursor=[A-Za-z0-9_-]+$`);
        if (response.isOwn) assert.match(next, ours, "The link must have the limit and a cursor");
      }
    },
  }),
  ...cases({ ...LISTS, ...ON_STORE, isOwn: true }, {
    async "has no pet in an empty catalogue"(api) {
      for (const path of ["/pets", "/pets?limit=100", "/pets?status=sold"]) {
        const { text, headers } = await api.get(path);
        assert.deepEqual([text, headers.get("link")], ["[]", null], `The body and the Link of ${path}`);
      }
      assertResponse(await api.get("/pets/9"), { status: 404, code: "pet_not_found", message: /"9"/ });
    },
  }),
  ...cases({ ...QUERY, ...ON_HOST }, {
    async "refuses every invalid or repeated limit, status and cursor"(api) {
      for (const code of Object.keys(REFUSED) as (keyof typeof REFUSED)[]) {
        for (const query of REFUSED[code]) {
          // It is invalid too beside another parameter, which is valid or unknown.
          const others = ["limit=1", "status=sold", "page=1"].filter((other) => !code.endsWith(other.split("=")[0]!));
          for (const all of [query, ...others.map((other) => api.random.shuffle([other, query]).join("&"))]) {
            assertResponse(await api.get(`/pets?${all}`), { status: 400, code, message: TOLD[code] }, all);
          }
        }
      }
    },
    async "ignores parameters it does not know, however they are written"(api) {
      for (const query of IGNORED) {
        assertStatus(await api.get(`/pets?${query}`), 200, `the unknown parameter ${query}`);
      }
    },
  }),
  ...cases({ ...QUERY, isOwn: true }, {
    async "refuses a cursor that it would not write"(api) {
      // The cursors of this library are `after:` and an id in Base64. Some of these would stand for 0, -1 and 2^63.
      const texts = ["after:01", "after:", "after: 1", "after:0", "after:-1", "after:9223372036854775808"];
      for (const cursor of ["1", "YWZ0ZXI6MQ==", ...texts.map((text) => btoa(text).replaceAll("=", ""))]) {
        assertResponse(await api.get(`/pets?cursor=${cursor}`), { status: 400, code: "invalid_cursor" }, cursor);
      }
    },
  }),
  ...cases({ ...LISTS, ...ON_BOTH }, {
    async "sends a page of long names completely"(api) {
      const { query } = await openEnd(api);
      const name = "😀".repeat(255);
      for (let i = 0; i < 62; i++) await api.post({ name, categoryId: i });
      const path = `/pets${withLimit(query, 63)}`;
      const response = await api.get(path);
      assert.deepEqual(
        petsOf(response).slice(1).map(({ name, categoryId }) => [name, categoryId]),
        Array.from({ length: 62 }, (_, i) => [name, BigInt(i)]),
        "The names and categories of the page",
      );
      assertLength(await api.send("HEAD", path), response.text);
    },
  }),
];
