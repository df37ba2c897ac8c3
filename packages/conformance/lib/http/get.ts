/** The cases of one pet: section 4.3 of the specification. */

import type { ApiResponse, RequestParts } from "./api.ts";
import { linkTo } from "./link.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, NotApplicable, ON_BOTH, ON_HOST } from "./case.ts";
import { ABSENT_ID, addPet } from "./catalogue.ts";
import { petOf } from "./exact.ts";
import { absentIds, resemblingIds } from "./generated/ids.ts";

const ONE = addition("pets.get", "A petId that cannot be an id is 404, like one that does not exist");
const DEPRECATION = addition(
  "pets.get",
  "Every response of /pets/{petId} has Deprecation (RFC 9745), Sunset (RFC 8594) and a successor",
);

const END = addition("pets.get", "With the option gone, /pets/{petId} is 410 from its Sunset on, with its successor");

/** A deprecation whose two days have passed. */
const ENDED = { since: new Date("2020-01-02"), sunset: new Date("2021-03-04"), gone: true };

const NO_IDS = [
  "abc",
  "1.5",
  "9223372036854775808",
  "%zz",
  "%FF",
  "%2F",
  "%00",
  "%D9%A1",
  "__proto__",
  "x".repeat(3000),
];

/** Makes other notations of the id of a pet, which are none. */
function notationsOf(id: bigint): string[] {
  return [`0${id}`, `+${id}`, `${id}e0`, `%20${id}`, `${id}%20`, `0x${id.toString(16)}`, `${id};a=1`, `${id}.json`];
}

const DEPRECATED = { deprecation: "@1795132800", sunset: "Thu, 05 Dec 2030 00:00:00 GMT" };

function assertDeprecated(response: ApiResponse): void {
  for (const [name, value] of Object.entries(DEPRECATED)) {
    assert.equal(response.headers.get(name), value, `The field ${name}`);
  }
  assertSuccessor(response);
}

function assertSuccessor(response: ApiResponse): void {
  const successor = linkTo(response, "successor-version") ?? "";
  assert.match(successor, /\/pets$/, "The successor-version of the Link must end with /pets");
}

function assertCurrent(response: ApiResponse): void {
  for (const name of Object.keys(DEPRECATED)) assert.equal(response.headers.get(name), null, `The field ${name}`);
  assert.equal(linkTo(response, "successor-version"), undefined, "The successor-version of the Link");
}

export const GET_CASES: readonly HttpCase[] = [
  ...cases({ ...ONE, ...ON_BOTH }, {
    async "answers one pet by its id"(api) {
      const id = await addPet(api, "pending", "Rex");
      const response = await api.get(`/pets/${id}`);
      assert.deepEqual(petOf(response), { id, name: "Rex", categoryId: 7n, status: "pending" }, "The pet by its id");
      const encoded = Array.from(String(id), (digit) => `%3${digit}`).join("");
      for (const path of [`/pets/${encoded}`, `/pets/${id}?limit=0`]) {
        assert.equal((await api.get(path)).text, response.text, `The body of ${path}`);
      }
    },
    async "answers a pet whose id was asked for before there was one"(api) {
      const next = await addPet(api) + 1n;
      await api.get(`/pets/${next}`);
      if (await addPet(api) !== next) throw new NotApplicable("the next id cannot be known");
      petOf(await api.get(`/pets/${next}`));
    },
    async "answers 404 pet_not_found to every petId that no pet has, or could have"(api) {
      const known = await addPet(api);
      const others = [...absentIds(api.random), ...resemblingIds(known, api.random), ...notationsOf(known), ...NO_IDS];
      for (const id of others) {
        const response = await api.get(`/pets/${id}`);
        assertResponse(response, { status: 404, code: "pet_not_found", message: /^.{1,199}$/ }, id);
      }
    },
  }),
  ...cases({ ...DEPRECATION, ...ON_HOST }, {
    async "marks every response of /pets/{petId} as deprecated, except a 401"(api) {
      const path = `/pets/${await addPet(api)}`;
      const found = await api.get(path);
      assertDeprecated(found);
      const condition = { headers: { "if-none-match": found.headers.get("etag") ?? "" } };
      const requests: [method: string, path: string, status: number, parts?: RequestParts][] = [
        ["HEAD", path, 200],
        ["OPTIONS", path, 204],
        ["POST", path, 405],
        ["GET", `/pets/${ABSENT_ID}`, 404],
        ["GET", path, 304, condition],
      ];
      for (const [method, path, status, parts] of requests) {
        const response = await api.send(method, path, parts);
        assertStatus(response, status, `${method} ${path}`);
        assertDeprecated(response);
      }
      assertCurrent(await api.get(path, { key: null }));
      assertCurrent(await api.get("/pets"));
    },
  }),
  ...cases({ ...END, ...ON_HOST, options: { deprecation: ENDED } }, {
    async "answers 410 gone in place of a pet after the end of the operation, with the successor in Link"(api) {
      const path = `/pets/${await addPet(api)}`;
      for (const each of [path, `/pets/${ABSENT_ID}`]) {
        const response = await api.get(each);
        assertResponse(response, { status: 410, code: "gone", headers: { sunset: ENDED.sunset.toUTCString() } }, each);
        // Browsers would keep a 410 for good, also if the operation works again.
        const caching = response.headers.get("cache-control") ?? "";
        assert.match(caching, /\bno-(cache|store)\b/, `Cache-Control ${caching} must forbid to keep the 410`);
        assertSuccessor(response);
      }
      assertStatus(await api.get(path, { key: null }), 401, "without a key");
      assertStatus(await api.send("OPTIONS", path), 204, "OPTIONS");
      assertStatus(await api.get("/pets"), 200);
    },
  }),
];
