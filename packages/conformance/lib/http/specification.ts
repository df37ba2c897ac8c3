/**
 * The cases of what the specification says word for word, one sentence in each. What it demands of any request is in properties.ts: keys,
 * pets by their ids, and bodies that are not pets. Sections are those of `petstore-spec.md`.
 */

import type { PetStatus } from "@petstore/petstore/store";
import { assert, assertStatus } from "./assert.ts";
import { cases, type HttpCase, ON_BOTH, ON_HOST, ON_STORE, postAs, says } from "./case.ts";
import { ABSENT_ID, addPets, fillCatalogue, newName } from "./catalogue.ts";
import { assertError, assertJson, ODD_NAME, petOf, petsOf } from "./exact.ts";
import { STATUSES } from "../pet_values.ts";
import { dressesOf, requestsIn } from "./generated/dresses.ts";
import { absentIds } from "./generated/ids.ts";
import { noPets } from "./generated/pets.ts";
import { someQueries } from "./listed.ts";
import { getPet, requestsTo, unlessRemoved } from "./specification_requests.ts";

export const SPECIFICATION_CASES: readonly HttpCase[] = [
  ...cases({ ...says("routes", "1: Bodies sent and received are JSON (application/json)"), ...ON_HOST }, {
    async "sends pets and lists as application/json"(api) {
      const created = await api.post({ name: newName(), categoryId: 7 });
      assertJson(created);
      assertJson(await api.get("/pets"));
      assertJson(await getPet(api, petOf(created, created.status).id));
    },
  }),
  ...cases({
    ...says(
      "pets.list",
      "4.1: limit, from 1 to 100 and by default 20, is the maximum number of animals returned in one response",
    ),
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
    async "creates a pet with the name, the category and the status that were sent, or without a status"(api) {
      for (const status of [...STATUSES, undefined]) {
        const sent = { name: newName(), categoryId: 7, ...status && { status } };
        const pet = petOf(await api.post(sent), 201);
        const seen = {
          name: pet.name,
          categoryId: Number(pet.categoryId),
          ...status && { status: pet.status ?? status },
        };
        assert.deepEqual(seen, sent, "The created pet, as far as it was sent");
      }
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
  ...cases({
    ...says("errors", "7: Error responses carry the Error body with media type application/json"),
    ...ON_HOST,
  }, {
    async "describes every failure by a code, a message and its status"(api) {
      const { random } = api;
      const dresses = random.shuffle(await dressesOf(api)).slice(0, 20);
      const requests = [
        ...requestsTo(api, 1n),
        ...requestsTo(api, 1n, "Bearer x"),
        ...requestsTo(api, 1n, `Basic ${btoa("user:x")}`),
        ...STATUSES.map((status) => () => api.get(`/pets?limit=5&status=${status}`, { key: null })),
        ...dresses.map((dress) => () => random.pick(Object.values(requestsIn(dress, 1n, newName(ODD_NAME))))(api)),
        ...noPets(newName(ODD_NAME), random).map((body) => () => postAs(api, body)),
        () => api.get(`/pets/${ABSENT_ID}`),
        ...absentIds(random).map((id) => () => api.get(`/pets/${id}`)),
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
