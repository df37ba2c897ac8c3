import assert from "node:assert/strict";
import { addPets, assertResponse, cases, type HttpCase, ON_BOTH, ON_HOST } from "./case.ts";

const ABSENT = [
  ...["9", "3", "0", "-1", "abc", "1.5", "01", "+1", "1e0", "%201", "1%20", "0x1", "9223372036854775807"],
  ...["9223372036854775808", "99999999999999999999999", "%zz", "%FF", "%2F", "1%2F", "%00", "%D9%A1", "null", "1,2"],
  ...["__proto__", "x".repeat(3000)],
];

const DEPRECATED = {
  deprecation: "@1795132800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: '</v1/pets>; rel="successor-version"',
};

export const GET_CASES: HttpCase[] = [
  ...cases(ON_BOTH, {
    async "answers one pet by its id"(api) {
      await addPets(api, ["sold", "pending"]);
      const { status, text } = await api.get("/pets/2");
      assert.deepEqual([status, text], [200, '{"id":2,"name":"2","categoryId":1,"status":"pending"}']);
      assert.equal((await api.get("/pets/%32")).text, text);
      assert.equal((await api.get("/pets/2?limit=0")).text, text);
    },
    async "answers 404 pet_not_found to every petId that no pet has, or could have"(api) {
      await addPets(api, ["sold", "pending"]);
      for (const id of ABSENT) {
        const response = await api.get(`/pets/${id}`);
        assertResponse(response, { status: 404, code: "pet_not_found", message: /^.{1,199}$/ }, id);
      }
    },
  }),
  ...cases(ON_HOST, {
    async "marks every response of /pets/{petId} as deprecated, except a 401"(api) {
      await addPets(api, ["sold"]);
      const found = await api.get("/pets/1");
      const condition = { headers: { "if-none-match": found.headers.get("etag") ?? "" } };
      const marked = [found, await api.get("/pets/2"), await api.get("/pets/1", condition)];
      for (const method of ["HEAD", "OPTIONS", "PUT"]) marked.push(await api.send(method, "/pets/1"));
      assert.deepEqual(marked.map(({ status }) => status), [200, 404, 304, 200, 204, 405]);
      const unmarked = [await api.get("/pets/1", { key: null }), await api.get("/pets")];
      for (const [name, value] of Object.entries(DEPRECATED)) {
        for (const { headers } of marked) assert.equal(headers.get(name), value);
        for (const { headers } of unmarked) assert.equal(headers.get(name), null);
      }
    },
  }),
];
