/** Sections 4.1 and 4.3: lists, and one pet. */

import assert from "node:assert/strict";
import type { Api, ApiResponse } from "./api.ts";
import { addPets, assertResponse, cases, type HttpCase, linkTarget, ON_BOTH, ON_HOST, ON_STORE } from "./case.ts";

async function walk(api: Api, path: string): Promise<number[][]> {
  const pages: number[][] = [];
  for (let target: string | undefined = path; target !== undefined;) {
    const response = await api.get(`/${target}`);
    assert.equal(response.status, 200);
    assert.ok(pages.push(response.pets.map(({ id }) => id)) < 100, "The links to next pages do not end");
    target = linkTarget(response, "next");
  }
  return pages;
}

/** A list of one pet, if it has none of these entity tags. */
function listUnless(api: Api, tags: string): Promise<ApiResponse> {
  return api.get("/pets?limit=1", { headers: { "if-none-match": tags } });
}

const REFUSED = {
  invalid_limit: [
    ...["limit=0", "limit=101", "limit=1000", "limit=-1", "limit=%2B1", "limit=+1", "limit=1.0", "limit=1e1"],
    ...["limit=0x10", "limit=", "limit", "limit=%", "limit=%zz", "limit=%FF", "limit=ten", "limit=%D9%A1"],
    ...["limit=1&limit=1", "limit=5&li%6Dit=5", "limit=05", "limit=007", "limit=" + "1".repeat(5000)],
  ],
  invalid_status: [
    ...["status=", "status", "status=lost", "status=SOLD", "status=sold%20", "status=sold,pending"],
    ...["status=sold&status=sold", "status=%", "status=constructor"],
  ],
  invalid_cursor: [
    ...["cursor=", "cursor", "cursor=abc", "cursor=YWZ0ZXI6MQ==", "cursor=YWZ0ZXI6MDE", "cursor=YWZ0ZXI6", "cursor=1"],
    ...["cursor=YWZ0ZXI6MQ&cursor=YWZ0ZXI6MQ", "cursor=%00", "cursor=YWZ0ZXI6IDE"],
  ],
};

const LIMITS: Record<string, number> = { "": 20, "?limit=1": 1, "?limit=100": 100, "?limit=7": 7, "?li%6Dit=%35": 5 };

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

export const READ_CASES: HttpCase[] = [
  ...cases(ON_STORE, {
    async "lists 20 pets in ascending order of id, or as many as the limit from 1 to 100"(api) {
      await addPets(api, Array(101).fill("sold"));
      for (const [query, count] of Object.entries(LIMITS)) {
        const response = await api.get(`/pets${query}`);
        assert.deepEqual(response.pets.map(({ id }) => id), Array.from({ length: count }, (_, i) => i + 1));
        assert.match(
          linkTarget(response, "next") ?? "",
          new RegExp(`^/v1/pets\\?limit=${count}&cursor=[A-Za-z0-9_-]+$`),
        );
      }
    },
    async "shows each pet once to a client that follows next, and no Link on a full last page"(api) {
      assert.deepEqual(await walk(api, "/v1/pets"), [[]]);
      await addPets(api, Array(6).fill("available"));
      assert.deepEqual(await walk(api, "/v1/pets?limit=2"), [[1, 2], [3, 4], [5, 6]]);
      assert.deepEqual(await walk(api, "/v1/pets?limit=4"), [[1, 2, 3, 4], [5, 6]]);
    },
    async "filters by status, on the next pages too"(api) {
      await addPets(api, ["sold", "pending", "sold", "pending", "sold"]);
      assert.deepEqual(await walk(api, "/v1/pets?status=sold&limit=2"), [[1, 3], [5]]);
      assert.deepEqual(await walk(api, "/v1/pets?limit=1&status=pending"), [[2], [4]]);
      assert.deepEqual(await walk(api, "/v1/pets?status=available"), [[]]);
    },
  }),
  ...cases(ON_HOST, {
    async "refuses every invalid or repeated limit, status and cursor"(api) {
      for (const [name, queries] of Object.entries(REFUSED)) {
        const code = name as keyof typeof REFUSED;
        for (const query of queries) {
          assertResponse(await api.get(`/pets?${query}`), { status: 400, code, message: /^.{1,299}$/ }, query);
        }
      }
    },
    async "ignores parameters it does not know, however they are written"(api) {
      for (const query of ["", "page=2", "Limit=0", "limit[]=0", "&&;=&", "%zz=%zz", "a=1&a=2", "__proto__=1"]) {
        assert.equal((await api.get(`/pets?${query}`)).status, 200, query);
      }
    },
  }),
  ...cases(ON_BOTH, {
    async "answers 304 to an entity tag that still holds, and 200 once the list has grown"(api) {
      await addPets(api, ["sold"]);
      const { headers, text } = await api.get("/pets?limit=1");
      const etag = headers.get("etag") ?? "";
      for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, `${etag},"other"`, "*", ` ${etag} `]) {
        const again = await listUnless(api, tags);
        assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag], tags);
      }
      for (const tags of ['"other"', etag.slice(1, -1), `"x${etag.slice(1)}`]) {
        assert.equal((await listUnless(api, tags)).status, 200, tags);
      }
      // The page is unchanged, but a next page now exists. A 304 would hide it.
      await addPets(api, ["sold"]);
      const grown = await listUnless(api, etag);
      assert.deepEqual([grown.status, grown.text], [200, text]);
      const again = await listUnless(api, grown.headers.get("etag") ?? "");
      assert.deepEqual([again.status, again.headers.get("link")], [304, grown.headers.get("link")]);
    },
    async "answers 412 to If-Match without the current entity tag, and evaluates it before If-None-Match"(api) {
      await addPets(api, ["sold"]);
      for (const path of ["/pets?limit=1", "/pets/1"]) {
        const { headers, text } = await api.get(path);
        const etag = headers.get("etag") ?? "";
        for (const tags of [etag, "*", `"other", ${etag}`]) {
          assert.equal((await api.get(path, { headers: { "if-match": tags } })).text, text, tags);
          const both = { "if-match": tags, "if-none-match": etag };
          assert.equal((await api.get(path, { headers: both })).status, 304, tags);
        }
        // A weak tag is not enough (RFC 9110 §13.1.1).
        for (const tags of ['"other"', `W/${etag}`, etag.slice(1, -1), '"*"']) {
          const expected = { status: 412, code: "precondition_failed", headers: { etag: null } } as const;
          const failed = await api.get(path, { headers: { "if-match": tags, "if-none-match": etag } });
          assertResponse(
            failed,
            { ...expected, headers: { ...expected.headers, sunset: headers.get("sunset") } },
            tags,
          );
          assert.equal((await api.send("HEAD", path, { headers: { "if-match": tags } })).status, 412, tags);
        }
      }
      // What would fail without the condition fails with it in the same way.
      const headers = { "if-match": '"other"' };
      assert.equal((await api.get("/pets/9", { headers })).status, 404);
      assert.equal((await api.get("/pets?limit=0", { headers })).status, 400);
    },
    async "sends a page of long names completely"(api) {
      const name = "😀".repeat(255);
      for (let i = 0; i < 40; i++) await api.post({ name, categoryId: i });
      const { pets } = await api.get("/pets?limit=40");
      assert.deepEqual(pets.map(({ id, name }) => [id, name]), Array.from({ length: 40 }, (_, i) => [i + 1, name]));
    },
  }),
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
