/** Properties that the specification demands of any requests: what was refused, what was created, and what is listed. */

import type { Api, ApiResponse } from "./api.ts";
import { assert } from "./assert.ts";
import { cases, type HttpCase, ON_BOTH, ON_HOST, postAs, says } from "./case.ts";
import { ABSENT_ID, addPet, addPets, newName } from "./catalogue.ts";
import { dressesOf } from "./dresses.ts";
import { type ExactPet, ODD_NAME, petOf, petsOf } from "./exact.ts";
import { storesNothing } from "./refused.ts";
import { getPet, unlessRemoved } from "./specification_requests.ts";

const STATUSES = ["available", "pending", "sold"] as const;

/** Names that servers escape, cut, normalize or write in one case. They may also be refused. */
const ODD_ENDS = [
  ...[
    "",
    ' <b>&amp; "quoted" \\',
    " Zoe\u0308 Zo\u00eb \ufb01",
    " \u{1f63a} \u6f22\u5b57",
    " MiXeD \u0130\u00df",
    " %41+%20",
  ],
  ...["x".repeat(60), "y".repeat(180)],
];
const CATEGORIES = ["7", "9223372036854775807", "-9223372036854775808", "9007199254740993", "0"];

const NO_PETS = [
  ...["", "{", "[]", "null", "7", '"Rex"', "name=Rex&categoryId=7"],
  `{"name":"${ODD_NAME}","categoryId":7`,
  `[{"name":"${ODD_NAME}","categoryId":7}]`,
  `{"name":"${ODD_NAME}","categoryId":7,"status":null}`,
];

/** A list may show a pet some time after it was added. */
const TRIES = 20, PAUSE_MS = 100;

type Created = Required<ExactPet>;

/** Adds a pet with an odd name and category, or if they are refused with usual ones. */
async function create(api: Api, name: string, categoryId: string, status: Created["status"]): Promise<Created> {
  const bodyOf = (name: string, categoryId: string) =>
    `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
  let sent = { name, categoryId };
  let response = await postAs(api, bodyOf(name, categoryId));
  if (response.status === 400) {
    sent = { name: newName(ODD_NAME), categoryId: "7" };
    response = await postAs(api, bodyOf(sent.name, sent.categoryId));
  }
  const pet = petOf(response, response.status);
  const wanted = { ...sent, categoryId: BigInt(sent.categoryId), status };
  assertSame(pet, { ...wanted, id: pet.id });
  return { ...wanted, id: pet.id };
}

/** A response need not show a status. */
function assertSame({ id, name, categoryId, status }: ExactPet, created: Created): void {
  assert.deepEqual({ id, name, categoryId, status: status ?? created.status }, created);
}

async function assertListed(api: Api, created: readonly Created[]): Promise<void> {
  for (const status of [undefined, ...STATUSES]) {
    const query = `?limit=100${status ? `&status=${status}` : ""}`;
    const wanted = created.filter((pet) => status === undefined || pet.status === status);
    for (let tries = 1;; tries++) {
      const response = await api.get(`/pets${query}`);
      const pets = petsOf(response);
      assertEach(pets, created, query);
      const others = created.filter((pet) => status !== undefined && pet.status !== status);
      const other = others.find(({ id }) => pets.some((pet) => pet.id === id));
      assert.equal(other, undefined, `The list ${query} has a pet with another status`);
      const isComplete = pets.length < 100 && !response.headers.has("link");
      const missing = isComplete ? wanted.find(({ id }) => pets.every((pet) => pet.id !== id)) : undefined;
      if (missing === undefined) break;
      assert.ok(tries < TRIES, `The list ${query} has ${pets.length} pets, but not the one with the id ${missing.id}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  // A full page does not leave its last pet out.
  const all = petsOf(await api.get("/pets?limit=100")).length;
  for (const limit of [1, 2].filter((limit) => limit <= all)) {
    assert.equal(
      petsOf(await api.get(`/pets?limit=${limit}`)).length,
      limit,
      `The length of a list with limit=${limit}`,
    );
  }
}

function assertEach(pets: readonly ExactPet[], created: readonly Created[], query: string): void {
  assert.equal(
    new Set(pets.map(({ id }) => id)).size,
    pets.length,
    `The list ${query} has pets twice; the number of its ids`,
  );
  for (const pet of created) {
    const shown = pets.filter(({ id, name }) => id === pet.id || name === pet.name);
    assert.ok(shown.length <= 1, `The list ${query} has the pet ${pet.id} more than once`);
    if (shown[0]) assertSame(shown[0], pet);
  }
}

/** Requests to each endpoint in a dress. Those that would add a pet have this name. */
function requestsIn({ parts, query }: ReturnType<typeof dressesOf>[number], api: Api, id: bigint, name: string) {
  const add = query === undefined ? "" : `?${query}`;
  const headers = { "content-type": "application/json", ...parts.headers as Record<string, string> };
  return {
    list: () => api.get(`/pets${add}`, parts),
    get: async () => unlessRemoved(await api.get(`/pets/${id}${add}`, parts)),
    create: () => api.send("POST", `/pets${add}`, { ...parts, headers, body: `{"name":"${name}","categoryId":7}` }),
  };
}

function assertUnauthorized(response: ApiResponse, what: string): void {
  assert.equal(response.status, 401, `With ${what}`);
}

export const PROPERTY_CASES: readonly HttpCase[] = [
  ...cases({ ...says("pets.list", "4.1: GET /pets lists the animals, as they were created"), ...ON_BOTH }, {
    async "lists, and returns by id, each pet once and as it was created"(api) {
      for (const status of STATUSES) petsOf(await api.get(`/pets?limit=20&status=${status}`));
      // Other cases judge lists by pets that are not odd.
      await addPets(api, STATUSES);
      const created: Created[] = [];
      for (const [i, end] of ODD_ENDS.entries()) {
        const status = STATUSES[i % 3]!;
        created.push(await create(api, newName(ODD_NAME) + end, CATEGORIES[i % CATEGORIES.length]!, status));
      }
      await assertListed(api, created);
      for (const pet of created) assertSame(petOf(await getPet(api, pet.id)), pet);
    },
  }),
  ...cases({ ...says("auth", "5: Every endpoint requires an API key, sent as an HTTP bearer token"), ...ON_BOTH }, {
    async "shows nothing to a request without the right key, in any dress"(api) {
      const id = await addPet(api);
      for (const dress of dressesOf(api)) {
        const { list, get } = requestsIn(dress, api, id, "");
        assertUnauthorized(await list(), dress.what);
        assertUnauthorized(await get(), dress.what);
      }
      const { status } = await api.send("HEAD", "/pets", { key: null });
      assert.ok(status >= 300, `HEAD without a key was answered with ${status}`);
      for (const path of ["/pets/", "/./pets", "/PETS", "/pets;a=1", "/pets.json", `/pets/${id}/`, `/pets//${id}`]) {
        const { status } = await api.get(path, { key: null });
        assert.ok(status >= 300, `The path ${path} without a key was answered with ${status}`);
      }
      const absent = unlessRemoved(await api.get(`/pets/${ABSENT_ID}`, { key: null }), [410]);
      assertUnauthorized(absent, "no key, for an id that no pet has");
    },
    async "stores nothing for a request without the right key, in any dress"(api) {
      const mark = newName(ODD_NAME);
      await storesNothing(api, [mark], async () => {
        for (const dress of dressesOf(api)) {
          assertUnauthorized(await requestsIn(dress, api, 1n, mark).create(), dress.what);
        }
        for (const body of ["", "{", `{"name":"${mark}"}`]) {
          const headers = { "content-type": "application/json" };
          const response = await api.send("POST", "/pets", { key: null, headers, body });
          assertUnauthorized(response, "no key, and a body that is not valid");
        }
      });
    },
  }),
  ...cases({ ...says("pets.get", "4.3: petId is an integer of the format int64"), ...ON_HOST }, {
    async "finds a pet by its whole id alone"(api) {
      const id = await addPet(api);
      petOf(await getPet(api, id));
      const beyond = [2n ** 32n, 2n ** 53n].map((more) => id + more);
      const others = [
        ...beyond,
        id + 2n ** 64n,
        -id,
        `${id}abc`,
        `${id}.5`,
        `abc${id}`,
      ];
      for (const other of others) {
        const response = await api.get(`/pets/${other}`);
        if (response.status === 200) assert.equal(petOf(response).id, other, `The id of the pet at /pets/${other}`);
      }
    },
  }),
  ...cases({ ...says("pets.create", "4.2: 400 if the body is not a NewPet"), ...ON_BOTH }, {
    async "answers 400 to a body that is no pet, and stores nothing"(api) {
      const mark = newName(ODD_NAME);
      await storesNothing(api, [mark], async () => {
        for (const body of NO_PETS) {
          const response = await postAs(api, body.replace(ODD_NAME, mark));
          assert.equal(response.status, 400, `The status after ${JSON.stringify(body)}`);
        }
      });
    },
  }),
];
