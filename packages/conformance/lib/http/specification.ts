/**
 * The cases of what the specification says, word for word, and of nothing else. Sections are those of
 * `petstore-spec.md`.
 */

import type { PetStatus } from "@petstore/petstore/store";
import type { Api, ApiResponse } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { cases, type HttpCase, ON_BOTH, ON_HOST, ON_STORE, postAs, says } from "./case.ts";
import { ABSENT_ID, addPet, addPets, fillCatalogue, newName } from "./catalogue.ts";
import { assertError, assertJson, ODD_CATEGORY, ODD_NAME, petOf, petsOf } from "./exact.ts";
import { BEYOND_INT64, INT64, NO_INTEGERS, NO_STATUSES, NO_STRINGS, STATUSES } from "../pet_values.ts";
import { storesNothing } from "./refused.ts";
import { dressesOf, requestsIn } from "./generated/dresses.ts";
import { absentIds } from "./generated/ids.ts";
import { noPets } from "./generated/pets.ts";
import { someQueries } from "./listed.ts";
import { expectCategory, getPet, mistyped, requestsTo, unlessRemoved } from "./specification_requests.ts";

/** Bodies without a required field, those that lists show as odd first, and values that are not of their field's type. */
const INCOMPLETE = [`{"name":"${ODD_NAME}"}`, `{"categoryId":${ODD_CATEGORY}}`, '{"status":"sold"}', "{}"];
const WRONG_VALUES = [
  ...NO_STRINGS.map((name) => `{"name":${name},"categoryId":${ODD_CATEGORY}}`),
  ...NO_INTEGERS.map((categoryId) => `{"name":"${ODD_NAME}","categoryId":${categoryId}}`),
  ...NO_STATUSES.map((status) => `{"name":"${ODD_NAME}","categoryId":7,"status":${status}}`),
];

async function assertRefused(requests: (() => Promise<ApiResponse>)[], what: string): Promise<void> {
  for (const send of requests) assertStatus(await send(), 401, what);
}

async function assertInvalid(api: Api, bodies: readonly string[]): Promise<void> {
  const mark = newName(ODD_NAME);
  await storesNothing(api, [mark], async () => {
    for (const body of bodies) assertStatus(await postAs(api, body.replace(ODD_NAME, mark)), 400, body);
  });
}

export const SPECIFICATION_CASES: readonly HttpCase[] = [
  ...cases({ ...says("auth", "5: Every endpoint requires an API key, sent as an HTTP bearer token"), ...ON_HOST }, {
    async "answers 401 without a key"(api) {
      await assertRefused(requestsTo(api, await addPet(api)), "no key");
    },
    async "answers 401 to an invalid key"(api) {
      const id = await addPet(api);
      const wrong = {
        "another key": "Bearer not_a_key_of_this_petstore",
        "the key and one more character": `Bearer ${api.key}x`,
        "the key with another character in the middle": `Bearer ${mistyped(api.key)}`,
        "the scheme Basic": `Basic ${btoa(`user:${api.key}`)}`,
      };
      for (const [what, authorization] of Object.entries(wrong)) {
        await assertRefused(requestsTo(api, id, authorization), what);
      }
    },
  }),
  ...cases({ ...says("routes", "1: Bodies sent and received are JSON (application/json)"), ...ON_HOST }, {
    async "sends pets and lists as application/json"(api) {
      const created = await api.post({ name: newName(), categoryId: 7 });
      assertJson(created);
      assertJson(await api.get("/pets"));
      assertJson(await getPet(api, petOf(created, created.status).id));
    },
  }),
  ...cases({ ...says("pets.list", "4.1: GET /pets answers 200 with an array of Pet"), ...ON_STORE }, {
    async "lists pets"(api) {
      await addPet(api);
      petsOf(await api.get("/pets"));
    },
  }),
  ...cases({
    ...says("pets.list", "4.1: limit, from 1 to 100, is the maximum number of animals returned in one response"),
    ...ON_STORE,
  }, {
    async "lists at most as many pets as the limit"(api) {
      await fillCatalogue(api);
      const all = new Map<PetStatus | undefined, number>();
      for (const status of [undefined, ...STATUSES]) {
        all.set(status, petsOf(await api.get(`/pets?limit=100${status ? `&status=${status}` : ""}`)).length);
      }
      for (const { limit, status, query } of someQueries(api)) {
        const { length } = petsOf(await api.get(`/pets${query}`));
        const where = `The list ${query || "without a query"}`;
        assert.ok(length <= limit, `${where} has ${length} pets`);
        const least = Math.min(limit, all.get(status)!);
        assert.ok(length >= least, `${where} has ${length} pets, although ${all.get(status)} were listed before`);
      }
    },
  }),
  ...cases({ ...says("pets.list", "4.1: the default of limit is 20"), ...ON_STORE }, {
    async "lists at most 20 pets without a limit"(api) {
      await fillCatalogue(api);
      for (const query of ["", "?status=sold"]) {
        const { length } = petsOf(await api.get(`/pets${query}`));
        assert.ok(length <= 20, `Without a limit the list ${query} has ${length} pets`);
      }
    },
  }),
  ...cases({
    ...says("pets.list", "4.1: When status is given, the result is restricted to animals with that status"),
    ...ON_STORE,
  }, {
    async "restricts a list to the status that is asked for"(api) {
      await addPets(api, STATUSES);
      for (const wanted of STATUSES) {
        // A pet may leave out its status.
        for (const { status = wanted } of petsOf(await api.get(`/pets?status=${wanted}`))) {
          assert.equal(status, wanted, `The status of a pet in the list ?status=${wanted}`);
        }
      }
    },
  }),
  ...cases({ ...says("pets.create", "4.2: POST /pets answers 201 with the created animal and its id"), ...ON_BOTH }, {
    async "creates a pet with the name, the category and each status that were sent"(api) {
      for (const status of STATUSES) {
        const name = newName();
        const pet = petOf(await api.post({ name, categoryId: 7, status }), 201);
        assert.deepEqual(
          [pet.name, pet.categoryId, pet.status ?? status],
          [name, 7n, status],
          "The name, category and status of the created pet",
        );
      }
    },
    async "creates a pet without a status"(api) {
      const sent = newName();
      const { name, categoryId } = petOf(await api.post({ name: sent, categoryId: 7 }), 201);
      assert.deepEqual([name, categoryId], [sent, 7n], "The name and category of the created pet");
    },
  }),
  ...cases(
    { ...says("pets.create", "2: id is a unique identifier, assigned by the service on creation"), ...ON_STORE },
    {
      async "gives each pet an id of its own"(api) {
        const ids = await addPets(api, ["sold", "sold", "sold"]);
        assert.equal(new Set(ids).size, 3, "The number of different ids of three pets");
      },
    },
  ),
  ...cases({ ...says("pets.create", "2: categoryId is an integer of the format int64"), ...ON_STORE }, {
    async "keeps every int64 exact to the last digit, or refuses it"(api) {
      for (const categoryId of INT64) await expectCategory(api, String(categoryId));
    },
  }),
  ...cases({ ...says("pets.get", "4.3: GET /pets/{petId} returns one animal by identifier"), ...ON_BOTH }, {
    async "answers a pet by its id, as it was created"(api) {
      const response = await api.post({ name: newName(), categoryId: 7, status: "pending" });
      const { id, name, categoryId, status } = petOf(response, response.status);
      const got = petOf(await getPet(api, id));
      assert.deepEqual(
        [got.id, got.name, got.categoryId],
        [id, name, categoryId],
        "The id, name and category of the pet by its id",
      );
      if (status !== undefined) assert.equal(got.status ?? status, status, "The status of the pet by its id");
    },
  }),
  ...cases({ ...says("pets.get", "4.3: 404 if the requested resource could not be found"), ...ON_HOST }, {
    async "answers 404 to an id that no pet has"(api) {
      for (const id of [ABSENT_ID, ...absentIds(api.random)]) {
        const response = unlessRemoved(await api.get(`/pets/${id}`), [410]);
        // Ids may descend: the specification does not say that they ascend.
        if (response.status === 200) assert.equal(String(petOf(response).id), id, `The id of the pet at /pets/${id}`);
        else assertStatus(response, 404, `GET /pets/${id}`);
      }
    },
  }),
  // This case comes last, because a server that takes a pet which is not valid lists it from then on.
  ...cases({ ...says("pets.create", "4.2: 400 if the body is missing required fields"), ...ON_BOTH }, {
    "answers 400 to a pet without a required field": (api) => assertInvalid(api, INCOMPLETE),
  }),
  ...cases({ ...says("pets.create", "4.2: 400 if the body contains invalid values"), ...ON_BOTH }, {
    "answers 400 to a value that is not of its field's type": (api) => assertInvalid(api, WRONG_VALUES),
    "answers 400 to a category beyond int64": (api) =>
      assertInvalid(api, BEYOND_INT64.map((categoryId) => `{"name":"${ODD_NAME}","categoryId":${categoryId}}`)),
  }),
  ...cases({
    ...says("errors", "7: Error responses carry the Error body with media type application/json"),
    ...ON_HOST,
  }, {
    async "describes every failure by a code, a message and its status"(api) {
      const { random } = api;
      const dresses = random.shuffle(await dressesOf(api)).slice(0, 20);
      const bodies = [INCOMPLETE[0]!, INCOMPLETE[1]!, WRONG_VALUES[0]!, "{", ...noPets(newName(ODD_NAME), random)];
      const requests = [
        ...requestsTo(api, 1n),
        ...requestsTo(api, 1n, "Bearer x"),
        ...requestsTo(api, 1n, `Basic ${btoa("user:x")}`),
        ...STATUSES.map((status) => () => api.get(`/pets?limit=5&status=${status}`, { key: null })),
        ...dresses.map((dress) => () => random.pick(Object.values(requestsIn(dress, 1n, newName(ODD_NAME))))(api)),
        ...bodies.map((body) => () => postAs(api, body)),
        ...[ABSENT_ID, ...absentIds(random)].map((id) => () => api.get(`/pets/${id}`)),
      ];
      let failures = 0;
      for (const send of requests) {
        const response = await send();
        // Other cases ask whether these requests fail.
        if (response.status < 400) continue;
        assertError(response);
        failures++;
      }
      assert.ok(failures > 0, "No request failed that should have failed");
    },
  }),
];
