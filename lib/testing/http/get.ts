import assert from "node:assert/strict";
import type { ApiResponse } from "./api.ts";
import { addPets, type HttpCase, httpCase, linkTarget } from "./case.ts";

const ABSENT = [
  ...["9", "3", "0", "-1", "abc", "1.5", "01", "+1", "1e0", "%201", "1%20", "0x1", "9223372036854775807"],
  ...["9223372036854775808", "99999999999999999999999", "%zz", "%FF", "%2F", "1%2F", "%00", "%D9%A1", "null", "1,2"],
  ...["__proto__", "x".repeat(3000)],
];

function assertDeprecated(response: ApiResponse, basePath = "/v1"): void {
  assert.equal(response.headers.get("deprecation"), "@1795132800");
  assert.equal(response.headers.get("sunset"), "Thu, 05 Dec 2030 00:00:00 GMT");
  assert.equal(linkTarget(response, "successor-version"), `${basePath}/pets`);
}

export const GET_CASES: HttpCase[] = [
  httpCase("answers one pet by its id", async (api) => {
    await addPets(api, ["sold", "pending"]);
    const { status, text } = await api.get("/pets/2");
    assert.deepEqual([status, text], [200, '{"id":2,"name":"2","categoryId":1,"status":"pending"}']);
    assert.equal((await api.get("/pets/%32")).text, text);
    assert.equal((await api.get("/pets/2?limit=0")).text, text);
  }),
  httpCase("answers 404 pet_not_found to every petId that no pet has, or could have", async (api) => {
    await addPets(api, ["sold", "pending"]);
    for (const id of ABSENT) {
      const { status, error } = await api.get(`/pets/${id}`);
      assert.deepEqual([status, error.code], [404, "pet_not_found"], id.slice(0, 80));
      assert.ok(error.message.length < 200);
    }
  }),
  httpCase("marks every response of /pets/{petId} as deprecated, except a 401", async (api) => {
    await addPets(api, ["sold"]);
    const found = await api.get("/pets/1");
    const etag = found.headers.get("etag") ?? "";
    assertDeprecated(found);
    assertDeprecated(await api.get("/pets/2"));
    assertDeprecated(await api.get("/pets/1", { headers: { "if-none-match": etag } }));
    for (const method of ["HEAD", "OPTIONS", "PUT"]) assertDeprecated(await api.send(method, "/pets/1"));
    for (const response of [await api.get("/pets/1", { key: null }), await api.get("/pets")]) {
      assert.equal(response.headers.get("deprecation"), null);
      assert.equal(response.headers.get("sunset"), null);
    }
  }),
  httpCase("answers 304 to a pet's own entity tag, and gives other pets other tags", async (api) => {
    await addPets(api, ["sold", "sold"]);
    const etags = [];
    for (const id of [1, 2]) etags.push((await api.get(`/pets/${id}`)).headers.get("etag") ?? "");
    assert.notEqual(etags[0], etags[1]);
    const responses = await Promise.all(
      etags.map((etag) => api.get("/pets/1", { headers: { "if-none-match": etag } })),
    );
    assert.deepEqual(responses.map(({ status }) => status), [304, 200]);
  }),
];
