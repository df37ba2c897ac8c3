/** The case of requests that have no right key where the key belongs. */

import type { Api, RequestParts } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { cases, type HttpCase, ON_BOTH, says } from "./case.ts";
import { ABSENT_ID, addPet, newName } from "./catalogue.ts";
import { ODD_NAME, petOf, petsOf } from "./exact.ts";
import { dressesOf, requestsIn } from "./generated/dresses.ts";
import { absentIds } from "./generated/ids.ts";
import { storesNothing } from "./refused.ts";

/** Sends requests in all dresses, each with and without a parameter. None may show the pet with this name. */
async function sendDressed(api: Api, id: bigint, shown: string, stored: string): Promise<void> {
  for (const dress of await dressesOf(api)) {
    for (const [method, path, parts] of api.random.shuffle(requestsIn(dress, id, stored))) {
      // The same request with the key may have filled a cache.
      if (method === "GET" && api.random.chance(0.15)) await api.get(path);
      const response = await api.send(method, path, parts);
      assertStatus(response, 401, dress.what);
      assert.ok(!response.text.includes(shown), `With ${dress.what}, a response shows a pet`);
    }
  }
}

/** Sends creates with bodies, types and methods by which servers let them in. */
async function sendCreates(api: Api, name: string): Promise<void> {
  const pet = `{"name":"${name}","categoryId":7`;
  const keys = ["key", "apiKey", "api_key", "token", "access_token", "authorization"].map((name) =>
    `"${name}":"${api.key}"`
  );
  const bodies = ["", "{", `{"name":"${name}"}`, `${pet},${keys.join(",")}}`, `${pet}}`.padEnd(60_000)];
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];
  const methods = ["GET", "OPTIONS"];
  const creates: RequestParts[] = [
    {},
    ...bodies.map((body) => ({ headers: { "content-type": "application/json" }, body })),
    ...types.map((type) => ({ headers: { "content-type": type }, body: `${pet}}` })),
    ...methods.map((method) => ({ headers: { "x-http-method-override": method }, body: `${pet}}` })),
  ];
  for (const parts of creates) {
    const response = await api.send("POST", "/pets", { ...parts, key: null });
    assertStatus(response, 401, `no key, and ${JSON.stringify(parts.headers)} ${String(parts.body).slice(0, 20)}`);
  }
}

/**
 * Sends requests that the specification does not have. Without the key, they may be answered in any way, but must show
 * and change nothing.
 */
async function sendOthers(api: Api, id: bigint, shown: string): Promise<void> {
  const { key } = api;
  for (const path of ["/pets", `/pets/${id}`]) {
    for (
      const [method, override] of [["HEAD"], ["OPTIONS"], ["PUT"], ["PATCH"], ["DELETE"], ["POST", "GET"], [
        "POST",
        "DELETE",
      ]]
    ) {
      const headers: Record<string, string> = override ? { "x-http-method-override": override } : {};
      const { status, text } = await api.send(method!, path, { key: null, headers });
      assert.ok(!text.includes(shown), `${method} ${path} without a key shows a pet`);
      assert.ok(method === "OPTIONS" || status >= 300, `${method} ${path} without a key was answered with ${status}`);
    }
  }
  const paths = [
    "/pets/",
    "/./pets",
    "/PETS",
    "/pets;a=1",
    "/pets.json",
    `/pets/${id}/`,
    `/pets//${id}`,
    `/pets/${id}.json`,
  ];
  const withKey = [
    `/pets;key=${key}`,
    `/pets;api_key=${key}`,
    `/pets/${id};key=${key}`,
    `/${key}/pets`,
    `/pets?${key}`,
  ];
  for (const path of [...paths, ...withKey]) {
    const { status } = await api.get(path, { key: null });
    assert.ok(status >= 300, `The path ${path} without a key was answered with ${status}`);
  }
  const ids = petsOf(await api.get("/pets?limit=100")).map(({ id }) => id);
  const some = [ids.at(0), ids.at(-1), api.random.pick(ids), ...absentIds(api.random), ABSENT_ID];
  for (const other of some) {
    assertStatus(await api.get(`/pets/${other}`, { key: null }), 401, `no key, for the id ${other}`);
  }
}

export const UNAUTHORIZED_CASES: readonly HttpCase[] = cases({
  ...says("auth", "5: Every endpoint requires an API key, sent as an HTTP bearer token"),
  ...ON_BOTH,
}, {
  async "shows and stores nothing without the right key, in any form"(api) {
    const shown = newName(), stored = newName(ODD_NAME);
    const id = await addPet(api, "available", shown);
    await storesNothing(api, stored, async () => {
      await sendDressed(api, id, shown, stored);
      await sendCreates(api, stored);
      await sendOthers(api, id, shown);
    });
    assert.equal(petOf(await api.get(`/pets/${id}`)).name, shown, "The name of a pet after requests without a key");
  },
});
