/** The cases of what this project adds to every response, for generated requests. */

import type { PetStatus } from "@petstore/petstore/store";
import type { Api, ApiResponse } from "./api.ts";
import { linkTo } from "./link.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertLength, cases, type HttpCase, ON_BOTH, ON_HOST, postAs } from "./case.ts";
import { ABSENT_ID, addPets, openEnd, walk, withLimit } from "./catalogue.ts";
import { petOf } from "./exact.ts";
import { STATUSES } from "../pet_values.ts";
import { bodyOf, somePets } from "./generated/pets.ts";

const LOCATIONS = addition("pets.create", "A creation has a Location, and ids ascend");
const PAGING = addition("pets.list", "Link leads to the next page on every page but the last, and each pet comes once");
const REPRESENTATIONS = addition(
  "pets.conditional",
  "HEAD has the head of GET, and If-None-Match with its entity tag leads to 304",
);

/** Divides the ids of a list into pages, from a pet on. */
function pagesOf(ids: readonly bigint[], limit: number): bigint[][] {
  return Array.from({ length: Math.ceil(ids.length / limit) }, (_, i) => ids.slice(i * limit, (i + 1) * limit));
}

/** The fields of a head that HEAD must repeat. */
const FIELDS = ["content-type", "link", "deprecation", "sunset", "etag"];

function shown({ status, text, headers }: ApiResponse, names: readonly string[] = FIELDS): unknown[] {
  return [status, text, ...names.map((name) => headers.get(name))];
}

async function assertHead(api: Api, path: string): Promise<ApiResponse> {
  const get = await api.get(path), head = await api.send("HEAD", path);
  assert.deepEqual(shown(head), shown({ ...get, text: "" }), `The status, the body and ${FIELDS} of HEAD ${path}`);
  assertLength(head, get.text);
  for (const { headers } of [get, head]) {
    assert.equal(headers.get("x-content-type-options"), "nosniff", `The field X-Content-Type-Options of ${path}`);
  }
  return get;
}

/** Compares a GET with its HEAD and its conditional form. */
async function assertRepresentation(api: Api, path: string): Promise<string> {
  const get = await assertHead(api, path), again = await api.get(path);
  const etag = get.headers.get("etag") ?? "none";
  assert.match(etag, /^(W\/)?"[^"]*"$/, `The ETag of ${path} must be an entity tag`);
  assert.deepEqual(shown(again), shown(get), `The status, the body and ${FIELDS} of a second GET ${path}`);
  const kept = FIELDS.slice(1);
  for (const method of ["GET", "HEAD"]) {
    for (const tags of [etag, `"x", ${etag}`]) {
      const unchanged = await api.send(method, path, { headers: { "if-none-match": tags } });
      const expected = shown({ ...get, status: 304, text: "" }, kept);
      assert.deepEqual(shown(unchanged, kept), expected, `The status, the body and ${kept} of ${path} if not ${tags}`);
    }
    const bare = await api.send(method, path, { key: null, headers: { "if-none-match": etag } });
    assertStatus(bare, 401, `${method} ${path} with its entity tag and no key`);
  }
  return `${etag} ${get.text}`;
}

export const ADDITION_CASES: readonly HttpCase[] = [
  ...cases({ ...LOCATIONS, ...ON_BOTH }, {
    async "gives each pet a Location beside the successor of its path, and an id above those before"(api) {
      let last = 0n;
      for (const pet of api.random.shuffle(somePets(api.random)).slice(0, 15)) {
        const response = await postAs(api, bodyOf(pet, api.random));
        const { id } = petOf(response, 201);
        assert.ok(
          id > last && id < 2n ** 53n,
          `The id ${id} must be above ${last}, which was given before, and below 2^53`,
        );
        last = id;
        const pets = linkTo(await api.get(`/pets/${id}`), "successor-version");
        assert.equal(response.headers.get("location"), `${pets}/${id}`, "The Location");
        assert.equal(response.headers.get("x-content-type-options"), "nosniff", "The field X-Content-Type-Options");
      }
    },
  }),
  ...cases({ ...PAGING, ...ON_BOTH }, {
    async "leads through the list of each status in pages of any length"(api) {
      const { random } = api;
      const ends = new Map<PetStatus | undefined, { query: string; ids: bigint[] }>();
      for (const status of STATUSES) {
        const { query, first } = await openEnd(api, status);
        ends.set(status, { query, ids: [first] });
      }
      const { query, first } = await openEnd(api);
      ends.set(undefined, { query, ids: [first] });
      ends.get("available")!.ids.push(first - 1n, first);
      const added = Array.from({ length: 11 }, () => random.pick(STATUSES));
      for (const [i, id] of (await addPets(api, added)).entries()) {
        for (const status of [undefined, added[i]!]) ends.get(status)!.ids.push(id);
      }
      for (const [status, { query, ids }] of ends) {
        for (const limit of new Set([1, 2, 3, ids.length - 1, ids.length, 100])) {
          const pages = await walk(api, withLimit(query, Math.max(1, limit)));
          assert.deepEqual(
            pages,
            pagesOf(ids, Math.max(1, limit)),
            `The ids of the pages of ${limit} of ${status ?? "all"}`,
          );
        }
      }
    },
  }),
  ...cases({ ...REPRESENTATIONS, ...ON_HOST }, {
    async "answers HEAD as GET, also where GET fails"(api) {
      for (const path of ["/pets?limit=0", `/pets/${ABSENT_ID}`, "/store/orders", "/cats"]) await assertHead(api, path);
    },
  }),
  ...cases({ ...REPRESENTATIONS, ...ON_BOTH }, {
    async "answers HEAD and If-None-Match as GET, for pets and for lists of any kind"(api) {
      const { random } = api;
      const ids = await addPets(api, [...STATUSES, ...STATUSES]);
      const paths = [
        // Those of one status have the same length.
        ...ids.map((id) => `/pets/${id}`),
        // These are first pages, which have a next one, so that no pet of another client changes them.
        "/pets?limit=1",
        "/pets?limit=2",
        ...STATUSES.map((status) => `/pets?status=${status}&limit=1`),
      ];
      const seen = new Map<string, string>();
      for (const path of random.shuffle(paths)) {
        const [etag, ...text] = (await assertRepresentation(api, path)).split(" ");
        const other = seen.get(etag!) ?? text.join(" ");
        assert.equal(text.join(" "), other, `The text of ${path}, which has the entity tag of another`);
        seen.set(etag!, other);
      }
    },
  }),
];
