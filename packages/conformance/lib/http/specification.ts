/**
 * The cases of what the specification says of pets and responses. It leaves much open: a petstore may refuse an unusual name or category
 * with 400, need not show a status, and may order its lists in any way. auth.ts, get.ts and create.ts have the other cases.
 */

import type { PetStatus } from "@petstore/petstore";
import type { Api, ApiResponse } from "./api.ts";
import { assert } from "./assert.ts";
import { cases, type HttpCase, says } from "./case.ts";
import { ABSENT_ID, addPets, newName, pagesFrom, queryOf } from "./catalogue.ts";
import { assertError, assertJson, type ExactPet, petOf, petsOf } from "./exact.ts";
import { INT64, NAMES, STATUSES } from "../pet_values.ts";

const KEPT = says(
  "pets.list",
  "4.1 and 4.2: A pet is created with what was sent, and listed by limit and status",
  "store",
);
const MEDIA_TYPE = says("routes", "1: Bodies sent and received are JSON (application/json)");
const ERRORS = says("errors", "7: Error responses carry the Error body with media type application/json");

/** A response need not show a status, and a pet that was sent without one may have any. */
function assertSame(shown: ExactPet, { id, name, categoryId, status = shown.status }: ExactPet, where: string): void {
  const wanted = { id, name, categoryId, status: shown.status && status };
  assert.equal(shown, wanted, `The id, name, category and status of a pet ${where}`);
}

/** Adds a pet of each name, each category and each status, as far as the petstore takes them. */
async function createAll(api: Api): Promise<ExactPet[]> {
  const mark = newName();
  const created: ExactPet[] = [];
  // A name has at most 255 code points, and begins with letters that no other pet has.
  const odd = ["<b>&amp;</b>", "%41+", ...NAMES].map((name, i) =>
    Array.from(`${mark}${i} ${name}`).slice(0, 255).join("")
  );
  for (const [i, name] of [mark, ...odd, mark].entries()) {
    const status = STATUSES[i % 4];
    const rest = status ? `,"status":"${status}"}` : "}";
    const send = (categoryId: bigint) => api.post(`{"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}`);
    let categoryId = INT64[i % INT64.length]!;
    let response = await send(categoryId);
    // A petstore may refuse an unusual category, an unusual name, and a name for the second time.
    if (response.status === 400) response = await send(categoryId = 7n);
    if (response.status === 400 && i > 0) continue;
    const shown = petOf(response, 201);
    const pet = { id: shown.id, name, categoryId, status };
    assertSame(shown, pet, "in the response to its creation");
    created.push({ ...pet, status: status ?? shown.status });
  }
  assert.equal(new Set(created.map(({ id }) => id)).size, created.length, "The number of different ids of pets");
  return created;
}

/** Throws unless the list of a status, or of all, has each of these pets once, as far as links lead. */
async function assertListed(api: Api, created: readonly ExactPet[], status?: PetStatus): Promise<void> {
  const query = queryOf(100, status);
  const pages: ExactPet[][] = [];
  for await (const page of pagesFrom(api, query, 20)) pages.push(petsOf(page));
  const isWhole = pages.length < 20 && pages.at(-1)!.length < 100;
  const names = new Set(created.map(({ name }) => name));
  const listed = pages.flat().filter(({ name }) => names.has(name));
  for (const pet of listed) {
    const sent = created.find(({ id }) => id === pet.id);
    assert.ok(sent, `The list ${query} has the pet ${pet.id}, which was not created so: ${JSON.stringify(pet.name)}`);
    assertSame(pet, sent, `in the list ${query}`);
    assert.equal(sent.status ?? status, status ?? sent.status, `The status of a pet in the list ${query}`);
  }
  const ids = listed.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, `The number of different pets in the list ${query}`);
  // The petstore may not show which status a pet has got that was sent without one.
  const wanted = created.filter((pet) => status === undefined || pet.status === status);
  const missing = wanted.find(({ id }) => isWhole && !ids.includes(id));
  assert.ok(!missing, `The list ${query} lacks the pet ${missing?.id}`);
}

/** Throws unless lists have as many pets as the limit says, all of the status. */
async function assertLimited(api: Api): Promise<void> {
  for (const status of [undefined, ...STATUSES]) {
    const known = status ? petsOf(await api.get(`/pets${queryOf(100, status)}`)).length : 100;
    for (const [i, limit] of [undefined, 1, 2, 19, 21, 99, 100].entries()) {
      const parts = [limit && `limit=${limit}`, status && `status=${status}`].filter(Boolean);
      // A filter may depend on the order of the parameters.
      const query = (i % 2 === 0 ? parts : parts.reverse()).join("&");
      const pets = petsOf(await api.get(query ? `/pets?${query}` : "/pets"));
      assert.equal(pets.length, Math.min(limit ?? 20, known), `The number of pets in the list ?${query}`);
      const other = pets.find((pet) => status && pet.status && pet.status !== status);
      assert.ok(!other, `The list ?${query} has a pet that is ${other?.status}`);
    }
  }
}

/** Requests that fail, as the specification says. */
const FAILING: ((api: Api) => Promise<ApiResponse>)[] = [
  (api) => api.post({ name: "Rex", categoryId: 7 }, { key: null }),
  (api) => api.get("/pets/1", { key: "x" }),
  (api) => api.get("/pets", { headers: { authorization: `Basic ${btoa("user:x")}` } }),
  (api) => api.get("/pets?limit=5&status=sold", { key: null }),
  (api) => api.get(`/pets/${ABSENT_ID}`),
  ...["{", "[]", { name: "Rex" }, { name: 7, categoryId: 7 }, { name: "Rex", categoryId: "7" }]
    .map((body) => (api: Api) => api.post(body)),
];

export const SPECIFICATION_CASES: readonly HttpCase[] = [
  ...cases(KEPT, {
    async "creates pets, and lists, and returns by id, each once and as it was created"(api) {
      const created = await createAll(api);
      for (const status of [undefined, ...STATUSES]) await assertListed(api, created, status);
      // From now on, a list of 100 leaves something out.
      const { length } = petsOf(await api.get("/pets?limit=100"));
      await addPets(api, Array(Math.max(1, 101 - length)).fill("sold"));
      await assertLimited(api);
      for (const pet of created) assertSame(petOf(await api.get(`/pets/${pet.id}`)), pet, "by its id");
    },
  }),
  ...cases(MEDIA_TYPE, {
    async "sends pets and lists as application/json"(api) {
      const created = await api.post({ name: newName(), categoryId: 7 });
      assertJson(created);
      assertJson(await api.get("/pets"));
      assertJson(await api.get(`/pets/${petOf(created, 201).id}`));
    },
  }),
  ...cases(ERRORS, {
    async "describes every failure by a code, a message and its status"(api) {
      for (const send of FAILING) {
        const response = await send(api);
        // Other cases ask whether these requests fail.
        if (response.status >= 400) assertError(response);
      }
    },
  }),
];
