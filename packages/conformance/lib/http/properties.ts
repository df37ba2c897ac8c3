/**
 * Properties that the specification demands of any requests, about what was refused, what was created, and what is
 * listed.
 */

import type { Api, ApiResponse } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { cases, type HttpCase, ON_BOTH, ON_HOST, postAs, says } from "./case.ts";
import { ABSENT_ID, addPet, addPets, newName } from "./catalogue.ts";
import { ODD_NAME, petOf, petsOf } from "./exact.ts";
import { dressesOf, requestsIn } from "./generated/dresses.ts";
import { absentIds, resemblingIds } from "./generated/ids.ts";
import { STATUSES } from "../pet_values.ts";
import { bodyOf, noPets, type SentPet, somePets } from "./generated/pets.ts";
import { assertEach, assertListed, assertSame, type Created } from "./listed.ts";
import { storesNothing } from "./refused.ts";
import { getPet, unlessRemoved } from "./specification_requests.ts";

/**
 * Adds a pet. If it is refused, one with a usual category is added, and if that is refused, one with a usual name too.
 */
async function create(api: Api, pet: SentPet): Promise<Created> {
  const usual = { ...pet, categoryId: "7" };
  for (const sent of [pet, usual, { ...usual, name: newName(ODD_NAME) }]) {
    const response = await postAs(api, bodyOf(sent, api.random));
    if (response.status === 400) continue;
    const shown = petOf(response, response.status);
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
  if (again.status < 300) created.push({ ...created.at(-1)!, id: petOf(again, again.status).id });
  assert.equal(new Set(created.map(({ id }) => id)).size, created.length, "The number of different ids of pets");
  return created;
}

async function assertKept(api: Api, created: readonly Created[]): Promise<void> {
  for (const pet of created) assertSame(petOf(await getPet(api, pet.id)), pet, "by its id");
}

function assertUnauthorized(response: ApiResponse, what: string): void {
  assertStatus(response, 401, what);
}

/**
 * Sends requests that the specification does not have. Without the key, they may be answered in any way, but must show
 * and change nothing.
 */
async function assertNothingShown(api: Api, id: bigint, mark: string): Promise<void> {
  const paths = ["/pets", `/pets/${id}`];
  for (const path of paths) {
    for (const method of api.random.shuffle(["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "POST"])) {
      for (const override of method === "POST" ? ["GET", "DELETE"] : [""]) {
        const headers = {
          "content-type": "application/json",
          "x-http-method-override": override,
          "x-http-method": override,
        };
        const body = /^P/.test(method) ? { body: '{"name":"Oddrexofaconformancetest","status":"sold"}' } : {};
        const { status, text } = await api.send(method, path, { key: null, ...override ? { headers } : {}, ...body });
        assert.ok(!text.includes(mark), `${method} ${path} without a key shows a pet`);
        assert.ok(method === "OPTIONS" || status >= 300, `${method} ${path} without a key was answered with ${status}`);
      }
    }
  }
  const { key } = api;
  const odd = [
    "/pets/",
    "/./pets",
    "/PETS",
    "/pets;a=1",
    "/pets.json",
    `/pets/${id}/`,
    `/pets//${id}`,
    `/pets/${id}.json`,

    `/pets;key=${key}`,
    `/pets;api_key=${key}`,
    `/pets/${id};key=${key}`,
    `/${key}/pets`,
    `/pets/${key}`,
    `/pets?${key}`,
  ];
  for (const path of odd) {
    const { status } = await api.get(path, { key: null });
    assert.ok(status >= 300, `The path ${path} without a key was answered with ${status}`);
  }
}

/** Chooses some ids that pets have, and some that none has. */
async function someIds(api: Api): Promise<string[]> {
  const ids = petsOf(await api.get("/pets?limit=100")).flatMap(({ id }) => typeof id === "bigint" ? [String(id)] : []);
  return [
    ...ids.slice(0, 1),
    ...ids.slice(-1),
    ...api.random.shuffle(ids).slice(0, 3),
    ...absentIds(api.random),
    ABSENT_ID,
  ];
}

export const PROPERTY_CASES: readonly HttpCase[] = [
  ...cases({ ...says("pets.list", "4.1: GET /pets lists the animals, as they were created"), ...ON_BOTH }, {
    async "lists, and returns by id, each pet once and as it was created"(api) {
      for (const status of STATUSES) petsOf(await api.get(`/pets?limit=20&status=${status}`));
      // This fills the catalogue with usual pets, because other cases judge lists by pets that are not odd.
      await addPets(api, STATUSES);
      const created = await createAll(api, somePets(api.random));
      await assertKept(api, api.random.shuffle(created));
      await assertListed(api, created);
      await assertKept(api, api.random.shuffle(created));
    },
  }),
  ...cases({ ...says("auth", "5: Every endpoint requires an API key, sent as an HTTP bearer token"), ...ON_BOTH }, {
    async "shows nothing to a request without the right key, in any dress"(api) {
      const mark = newName();
      const id = await addPet(api, "available", mark);
      for (const dress of await dressesOf(api)) {
        const { list, get } = requestsIn(dress, id, "");
        for (const send of api.random.shuffle([list, get])) {
          // The same request with the key may have filled a cache.
          if (api.random.chance(0.15)) await send(api, {});
          const response = await send(api);
          assertUnauthorized(response, dress.what);
          assert.ok(!response.text.includes(mark), `With ${dress.what}, a response shows a pet`);
        }
      }
      await assertNothingShown(api, id, mark);
      assert.equal(petOf(await getPet(api, id)).name, mark, "The name of a pet after requests without a key");
      for (const other of await someIds(api)) {
        const response = await api.get(`/pets/${other}`, { key: null });
        assertUnauthorized(unlessRemoved(response, [410]), `no key, for the id ${other}`);
      }
    },
    async "stores nothing for a request without the right key, in any dress"(api) {
      const mark = newName(ODD_NAME);
      const pet = `{"name":"${mark}","categoryId":7`;
      const keys = ["key", "apiKey", "api_key", "token", "access_token", "authorization"].map((name) =>
        `"${name}":"${api.key}"`
      );
      await storesNothing(api, [mark], async () => {
        for (const dress of await dressesOf(api)) {
          assertUnauthorized(await requestsIn(dress, 1n, mark).create(api), dress.what);
        }
        for (const body of ["", "{", `{"name":"${mark}"}`, `${pet},${keys.join(",")}}`, `${pet}}`.padEnd(60_000)]) {
          const headers = { "content-type": "application/json" };
          const response = await api.send("POST", "/pets", { key: null, headers, body });
          assertUnauthorized(
            response,
            `no key, and a body that ${body.length > 100 ? "has it or is long" : "is not valid"}`,
          );
        }
        assertUnauthorized(await api.send("POST", "/pets", { key: null }), "no key, and no body");
        for (
          const type of [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/json; charset=utf-8",
          ]
        ) {
          const response = await api.send("POST", "/pets", {
            key: null,
            headers: { "content-type": type },
            body: `${pet}}`,
          });
          assertUnauthorized(response, `no key, and the type ${type}`);
        }
        for (const method of ["GET", "OPTIONS", "HEAD"]) {
          const headers = { "content-type": "application/json", "x-http-method-override": method };
          const response = await api.send("POST", `/pets?_method=${method}`, { key: null, headers, body: `${pet}}` });
          assertUnauthorized(response, `no key, and a method of ${method} that replaces POST`);
        }
      });
    },
  }),
  ...cases({ ...says("pets.get", "4.3: petId is an integer of the format int64"), ...ON_HOST }, {
    async "finds a pet by its whole id alone"(api) {
      const id = await addPet(api);
      petOf(await getPet(api, id));
      for (const other of resemblingIds(id, api.random)) {
        const response = await api.get(`/pets/${other}`);
        if (response.status === 200) {
          assert.equal(String(petOf(response).id), other, `The id of the pet at /pets/${other}`);
        }
      }
    },
  }),
  ...cases({ ...says("pets.create", "4.2: 400 if the body is not a NewPet"), ...ON_BOTH }, {
    async "answers 400 to a body that is no pet, and stores nothing"(api) {
      const mark = newName(ODD_NAME);
      await storesNothing(api, [mark], async () => {
        for (const body of api.random.shuffle(noPets(mark, api.random))) {
          const response = await postAs(api, body);
          assertStatus(response, 400, `the body ${JSON.stringify(body)}`);
        }
      });
    },
  }),
];
