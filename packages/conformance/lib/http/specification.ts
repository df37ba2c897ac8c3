/**
 * The cases of what the specification says word for word, one sentence in each, for any requests that it allows. Sections are those of
 * `petstore-spec.md`. unauthorized.ts has the case of requests without the key.
 */

import type { Api } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { cases, type HttpCase, ON_BOTH, ON_HOST, postAs, says } from "./case.ts";
import { ABSENT_ID, addPet, addPets, fillCatalogue, newName } from "./catalogue.ts";
import { assertError, assertJson, ODD_NAME, petOf, petsOf } from "./exact.ts";
import { absentIds, resemblingIds } from "./generated/ids.ts";
import { bodyOf, noPets, type SentPet, somePets } from "./generated/pets.ts";
import { assertEach, assertListed, assertSame, type Created } from "./listed.ts";
import { STATUSES } from "../pet_values.ts";
import { storesNothing } from "./refused.ts";

/**
 * Adds a pet. If it is refused, one with a usual category is added, and if that is refused, one with a usual name too.
 */
async function create(api: Api, pet: SentPet): Promise<Created> {
  const usual = { ...pet, categoryId: "7" };
  for (const sent of [pet, usual, { ...usual, name: newName(ODD_NAME) }]) {
    const response = await postAs(api, bodyOf(sent, api.random));
    if (response.status === 400) continue;
    const shown = petOf(response, 201);
    const created = { ...sent, categoryId: BigInt(sent.categoryId), id: shown.id };
    assertSame(shown, created, "in the response to its creation");
    return created;
  }
  return assert.fail("A pet with usual values was answered with 400");
}

/** Adds pets, and meanwhile reads those that there are, in any order. */
async function createAll(api: Api, pets: readonly SentPet[]): Promise<Created[]> {
  const { random } = api;
  const created: Created[] = [];
  for (const pet of pets) {
    created.push(await create(api, pet));
    if (random.chance(0.6)) await assertKept(api, [random.pick(created)]);
    if (random.chance(0.3)) {
      const query = `?limit=${1 + random.below(100)}${random.chance(0.5) ? `&status=${random.pick(STATUSES)}` : ""}`;
      assertEach(petsOf(await api.get(`/pets${query}`)), created, query);
    }
  }
  const twice: SentPet = { name: newName(), categoryId: "7", status: "sold" };
  created.push(await create(api, twice));
  const again = await postAs(api, bodyOf(twice, random));
  // A petstore may demand unique names.
  if (again.status < 300) created.push({ ...created.at(-1)!, id: petOf(again, 201).id });
  assert.equal(new Set(created.map(({ id }) => id)).size, created.length, "The number of different ids of pets");
  return created;
}

async function assertKept(api: Api, created: readonly Created[]): Promise<void> {
  for (const pet of created) assertSame(petOf(await api.get(`/pets/${pet.id}`)), pet, "by its id");
}

export const SPECIFICATION_CASES: readonly HttpCase[] = [
  ...cases({
    ...says(
      "pets.list",
      "4.1 and 4.2: A pet is created with what was sent, and listed by limit and status as it was created",
    ),
    ...ON_BOTH,
  }, {
    async "creates pets, and lists, and returns by id, each once and as it was created"(api) {
      for (const status of STATUSES) petsOf(await api.get(`/pets?limit=20&status=${status}`));
      // Lists are judged by usual pets, and a new catalogue has none.
      await addPets(api, STATUSES);
      const created = await createAll(api, somePets(api.random));
      await assertKept(api, api.random.shuffle(created));
      await assertListed(api, created);
      // From now on, a list of 100 leaves something out.
      await fillCatalogue(api);
      await assertListed(api, created);
      await assertKept(api, api.random.shuffle(created));
    },
  }),
  ...cases({ ...says("pets.create", "4.2: 400 if the body is not a NewPet"), ...ON_BOTH }, {
    async "answers 400 to a body that is no pet, and stores nothing"(api) {
      const mark = newName(ODD_NAME);
      await storesNothing(api, mark, async () => {
        for (const body of api.random.shuffle(noPets(mark, api.random))) {
          assertStatus(await postAs(api, body), 400, `the body ${JSON.stringify(body)}`);
        }
      });
    },
  }),
  ...cases({ ...says("pets.get", "4.3: petId is an int64, and 404 if no pet has it"), ...ON_HOST }, {
    async "finds a pet by its whole id alone"(api) {
      const id = await addPet(api);
      petOf(await api.get(`/pets/${id}`));
      const absent = [ABSENT_ID, ...absentIds(api.random)];
      for (const other of [...absent, ...resemblingIds(id, api.random)]) {
        const response = await api.get(`/pets/${other}`);
        // Ids may descend: the specification does not say that they ascend.
        if (response.status === 200) {
          assert.equal(String(petOf(response).id), other, `The id of the pet at /pets/${other}`);
        } else if (absent.includes(other)) assertStatus(response, 404, `GET /pets/${other}`);
      }
    },
  }),
  ...cases({ ...says("routes", "1: Bodies sent and received are JSON (application/json)"), ...ON_HOST }, {
    async "sends pets and lists as application/json"(api) {
      const created = await api.post({ name: newName(), categoryId: 7 });
      assertJson(created);
      assertJson(await api.get("/pets"));
      assertJson(await api.get(`/pets/${petOf(created, created.status).id}`));
    },
  }),
  ...cases({
    ...says("errors", "7: Error responses carry the Error body with media type application/json"),
    ...ON_HOST,
  }, {
    async "describes every failure by a code, a message and its status"(api) {
      const { random } = api;
      const headers = { authorization: `Basic ${btoa("user:x")}` };
      const responses = [
        await api.post({ name: newName(ODD_NAME), categoryId: 7 }, { key: null }),
        await api.get("/pets/1", { key: "x" }),
        await api.get("/pets", { headers }),
        await api.get("/pets?limit=5&status=sold", { key: null }),
      ];
      for (const body of noPets(newName(ODD_NAME), random)) responses.push(await postAs(api, body));
      for (const id of [ABSENT_ID, ...absentIds(random)]) responses.push(await api.get(`/pets/${id}`));
      // Other cases ask whether these requests fail.
      const failures = responses.filter(({ status }) => status >= 400);
      for (const failure of failures) assertError(failure);
      assert.ok(failures.length > 0, "No request failed that should have failed");
    },
  }),
];
