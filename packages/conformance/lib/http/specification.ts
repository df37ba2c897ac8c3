/**
 * The cases of what the specification says of pets and responses. It leaves much open: a petstore
 * may refuse an unusual name or category with 400, need not show a status, and may order its lists
 * in any way. auth.ts, get.ts and create.ts have the other cases.
 */

import type { PetStatus } from "@petstore/petstore";
import type { Api, ApiResponse } from "./api.ts";
import * as assert from "./assert.ts";
import { type HttpCase, says } from "./case.ts";
import { ABSENT_ID, addPets, MOST_PAGES, newName, pagesFrom, queryOf } from "./catalogue.ts";
import { assertError, assertJson, type ExactPet, petOf, petsOf } from "./responses.ts";
import { INT64, NAMES, STATUSES } from "../pet_values.ts";

/** A response need not show a status, and a pet that was sent without one may have any. */
function assertSame(shown: ExactPet, { id, name, categoryId, status = shown.status }: ExactPet, where: string): void {
  const wanted = { id, name, categoryId, status: shown.status && status };
  assert.equal(shown, wanted, `The id, name, category and status of a pet ${where}`);
}

/** Adds a pet of each name, each category and each status, and without a status, as far as the petstore takes them. */
async function createAll(api: Api): Promise<ExactPet[]> {
  const odd = ["", "", "", "", "<b>&amp;</b>", "%41+", ...NAMES];
  // A name has at most 255 code points, and begins with letters that no other pet has.
  const names = odd.map((name) => Array.from(newName() + name).slice(0, 255).join(""));
  const pets = [
    ...names.map((name) => ({ name, categoryId: 7n })),
    ...INT64.map((categoryId) => ({ name: newName(), categoryId })),
  ];
  const created: ExactPet[] = [];
  for (const [i, { name, categoryId }] of pets.entries()) {
    const status = STATUSES[i % 4];
    const rest = status ? `,"status":"${status}"}` : "}";
    const response = await api.post(`{"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}`);
    // A petstore may refuse an unusual name and an unusual category, but not the first four pets.
    if (response.status === 400 && i > 3) continue;
    const shown = petOf(response, 201);
    const { id } = shown;
    assertSame(shown, { id, name, categoryId, status }, "in the response to its creation");
    created.push({ id, name, categoryId, status: status ?? shown.status });
  }
  assert.equal(new Set(created.map(({ id }) => id)).size, created.length, "The number of different ids of pets");
  return created;
}

/** Throws unless the list of a status, or of all, has each of these pets once, as far as links lead. */
async function assertListed(api: Api, created: readonly ExactPet[], status?: PetStatus): Promise<void> {
  const query = queryOf(100, status);
  const pages: ExactPet[][] = [];
  for await (const page of pagesFrom(api, query)) pages.push(petsOf(page));
  const isWhole = pages.length < MOST_PAGES && pages.at(-1)!.length < 100;
  const names = new Set(created.map(({ name }) => name));
  const listed = pages.flat().filter(({ name }) => names.has(name));
  // The petstore may not show which status a pet has got that was sent without one.
  const possible = created.filter((pet) => !status || !pet.status || pet.status === status);
  for (const pet of listed) {
    const sent = possible.find(({ id }) => id === pet.id);
    assert.ok(sent, `The list ${query} has the pet ${pet.id}, which was not created so: ${JSON.stringify(pet.name)}`);
    assertSame(pet, sent, `in the list ${query}`);
  }
  const ids = listed.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, `The number of different pets in the list ${query}`);
  const missing = possible.find((pet) => isWhole && (!status || pet.status) && !ids.includes(pet.id));
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

export const SPECIFICATION_CASES: readonly HttpCase[] = [
  ...says("pets.list", "4.1 and 4.2: A pet is created with what was sent, and listed by limit and status", {
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
  ...says("routes", "1: Bodies sent and received are JSON (application/json)", {
    async "sends pets and lists as application/json"(api) {
      const created = await api.post({ name: newName(), categoryId: 7 });
      assertJson(created);
      assertJson(await api.get("/pets"));
      assertJson(await api.get(`/pets/${petOf(created, 201).id}`));
    },
  }),
  ...says("errors", "7: Error responses carry the Error body with media type application/json", {
    async "describes every failure by a code, a message and its status"(api) {
      const assertFailed = async (sent: Promise<ApiResponse>) => {
        const response = await sent;
        // Other cases ask whether these requests fail.
        if (response.status >= 400) assertError(response);
      };
      await assertFailed(api.post({ name: "Rex", categoryId: 7 }, { key: null }));
      await assertFailed(api.get("/pets?limit=5&status=sold", { key: null }));
      await assertFailed(api.get("/pets/1", { key: "x" }));
      await assertFailed(api.get("/pets", { headers: { authorization: `Basic ${btoa("user:x")}` } }));
      await assertFailed(api.get(`/pets/${ABSENT_ID}`));
      for (const body of ["{", "[]", { name: "Rex" }, { name: 7, categoryId: 7 }, { name: "Rex", categoryId: "7" }]) {
        await assertFailed(api.post(body));
      }
    },
  }),
];
