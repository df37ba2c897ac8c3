import assert from "node:assert/strict";
import type { Api } from "./api.ts";
import { addPets, type HttpCase, httpCase, linkTarget } from "./case.ts";

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

const REFUSED = {
  invalid_limit: [
    ...["limit=0", "limit=101", "limit=1000", "limit=-1", "limit=%2B1", "limit=+1", "limit=1.0", "limit=1e1"],
    ...["limit=0x10", "limit=", "limit", "limit=%", "limit=%zz", "limit=%FF", "limit=ten", "limit=%D9%A1"],
    ...["limit=1&limit=1", "limit=5&li%6Dit=5", "limit=" + "1".repeat(5000)],
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

export const LIST_CASES: HttpCase[] = [
  httpCase("lists nothing of an empty store, without a Link", async (api) => {
    const { status, text, headers } = await api.get("/pets");
    assert.deepEqual([status, text, headers.get("link")], [200, "[]", null]);
  }),
  httpCase("lists 20 pets in ascending order of id unless told otherwise", async (api) => {
    await addPets(api, Array(21).fill("sold"));
    const response = await api.get("/pets");
    assert.deepEqual(response.pets.map(({ id }) => id), Array.from({ length: 20 }, (_, i) => i + 1));
    assert.match(linkTarget(response, "next") ?? "", /^\/v1\/pets\?limit=20&cursor=[A-Za-z0-9_-]+$/);
  }),
  httpCase("takes limits from 1 to 100", async (api) => {
    await addPets(api, Array(101).fill("sold"));
    for (const limit of [1, 2, 99, 100]) assert.equal((await api.get(`/pets?limit=${limit}`)).pets.length, limit);
    assert.equal((await api.get("/pets?limit=007")).pets.length, 7);
    assert.equal((await api.get("/pets?li%6Dit=%35")).pets.length, 5);
  }),
  httpCase("filters by status", async (api) => {
    await addPets(api, ["available", "sold", "pending", "sold"]);
    assert.deepEqual((await api.get("/pets?status=sold")).pets.map(({ id }) => id), [2, 4]);
    assert.deepEqual((await api.get("/pets?status=pending")).pets.map(({ status }) => status), ["pending"]);
    assert.deepEqual((await api.get("/pets?status=available")).pets.map(({ id }) => id), [1]);
  }),
  httpCase("shows each pet once to a client that follows next, and no Link on a full last page", async (api) => {
    await addPets(api, Array(6).fill("available"));
    assert.deepEqual(await walk(api, "/v1/pets?limit=2"), [[1, 2], [3, 4], [5, 6]]);
    assert.deepEqual(await walk(api, "/v1/pets?limit=4"), [[1, 2, 3, 4], [5, 6]]);
  }),
  httpCase("keeps the filter in the link to the next page", async (api) => {
    await addPets(api, ["sold", "pending", "sold", "pending", "sold"]);
    assert.deepEqual(await walk(api, "/v1/pets?status=sold&limit=2"), [[1, 3], [5]]);
    assert.deepEqual(await walk(api, "/v1/pets?limit=1&status=pending"), [[2], [4]]);
  }),
  httpCase("shows each pet once to a client that pages while pets are added", async (api) => {
    await addPets(api, Array(4).fill("sold"));
    const first = await api.get("/pets?limit=3");
    await addPets(api, ["sold", "available", "sold"]);
    const rest = await walk(api, linkTarget(first, "next") ?? "");
    assert.deepEqual(rest.flat(), [4, 5, 6, 7]);
  }),
  httpCase("refuses every invalid or repeated limit, status and cursor", async (api) => {
    for (const [code, queries] of Object.entries(REFUSED)) {
      for (const query of queries) {
        const { status, error } = await api.get(`/pets?${query}`);
        assert.deepEqual([status, error.code], [400, code], query.slice(0, 80));
        assert.ok(error.message.length < 300);
      }
    }
  }),
  httpCase("ignores parameters it does not know, however they are written", async (api) => {
    for (const query of ["", "page=2", "Limit=0", "limit[]=0", "&&;=&", "%zz=%zz", "a=1&a=2", "__proto__=1"]) {
      assert.equal((await api.get(`/pets?${query}`)).status, 200, query);
    }
  }),
  httpCase("answers 304 to an entity tag that still holds, and 200 once the list has grown", async (api) => {
    await addPets(api, ["sold"]);
    const { headers, text } = await api.get("/pets?limit=1");
    const etag = headers.get("etag") ?? "";
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, `${etag},"other"`, "*", ` ${etag} `]) {
      const again = await api.get("/pets?limit=1", { headers: { "if-none-match": tags } });
      assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag], tags);
    }
    for (const tags of ['"other"', etag.slice(1, -1), `"x${etag.slice(1)}`]) {
      assert.equal((await api.get("/pets?limit=1", { headers: { "if-none-match": tags } })).status, 200, tags);
    }
    // The page is unchanged, but a next page now exists. A 304 would hide it.
    await addPets(api, ["sold"]);
    const grown = await api.get("/pets?limit=1", { headers: { "if-none-match": etag } });
    assert.deepEqual([grown.status, grown.text], [200, text]);
    const again = await api.get("/pets?limit=1", { headers: { "if-none-match": grown.headers.get("etag") ?? "" } });
    assert.deepEqual([again.status, again.headers.get("link")], [304, grown.headers.get("link")]);
  }),
  httpCase(
    "sends a page of long names completely, with the length, entity tag and conditions of any other page",
    async (api) => {
      const name = "😀".repeat(255);
      for (let i = 0; i < 40; i++) await api.post({ name, categoryId: i });
      const { pets, text, headers } = await api.get("/pets?limit=40");
      assert.deepEqual(pets.map(({ id, name }) => [id, name]), Array.from({ length: 40 }, (_, i) => [i + 1, name]));
      const etag = headers.get("etag") ?? "";
      assert.ok(text.length > 16_384);
      const head = await api.send("HEAD", "/pets?limit=40");
      assert.equal(head.headers.get("content-length"), String(new TextEncoder().encode(text).length));
      assert.deepEqual([head.headers.get("etag"), head.text], [etag, ""]);
      assert.equal((await api.get("/pets?limit=40", { headers: { "if-none-match": etag } })).status, 304);
      assert.equal((await api.get("/pets?limit=40")).text, text);
    },
  ),
  httpCase("shows a pet whose name was chosen so that the hash of the page stays the same", async (api) => {
    for (let i = 0; i < 3; i++) await api.post({ name: "Rex", categoryId: 7 });
    const before = (await api.get("/pets")).headers.get("etag") ?? "";
    await api.post({ name: FORGED, categoryId: 7 });
    const after = await api.get("/pets", { headers: { "if-none-match": before } });
    const tag = after.headers.get("etag") ?? "";
    assert.equal(after.status, 200, `${before} became ${tag}`);
    assert.equal(after.pets.at(-1)?.name, FORGED);
    // The hashes collide: only the length tells the pages apart.
    assert.deepEqual(hashOf(tag), hashOf(before));
    assert.notEqual(tag, before);
  }),
];

/** The hash can be inverted, so finding this name takes milliseconds. */
const FORGED = "xwgskoebxjnjiuroqX$bTDq!F[3XOS;!1";

/** The two halves of the hash in an entity tag. */
function hashOf(tag: string): string[] {
  return tag.slice(1, -1).split("-").slice(-2);
}
