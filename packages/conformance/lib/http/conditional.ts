/** The cases of HEAD and of conditional requests (RFC 9110 §13). */

import { type Api, type ApiResponse, encode } from "./api.ts";
import * as assert from "./assert.ts";
import { addition, type HttpCase } from "./case.ts";
import { ABSENT_ID, addPet, addPets, openEnd } from "./catalogue.ts";
import { assertResponse } from "./responses.ts";

/** The fields of a head that a 304 must repeat, and HEAD too. */
const FIELDS = ["link", "deprecation", "sunset", "etag"];

/** Throws unless a response has this status, no body, and these fields of a GET. */
function assertHeadOf(get: ApiResponse, wanted: number, names: string[], response: ApiResponse): void {
  const { request, status, text, headers } = response;
  const shown = names.map((name) => headers.get(name));
  const fields = names.map((name) => get.headers.get(name));
  assert.equal([status, text, ...shown], [wanted, "", ...fields], `The status, the body and ${names} of ${request}`);
}

/** Compares a HEAD with a GET, which it returns. */
async function assertHead(api: Api, path: string): Promise<ApiResponse> {
  const get = await api.get(path);
  const head = await api.send("HEAD", path);
  assertHeadOf(get, get.status, [...FIELDS, "content-type"], head);
  // A server need not know the length in advance.
  const { length } = encode(get.text);
  assert.equal(head.headers.get("content-length") ?? `${length}`, `${length}`, `The Content-Length of HEAD ${path}`);
  assert.equal(get.headers.get("x-content-type-options"), "nosniff", `The field X-Content-Type-Options of ${path}`);
  return get;
}

/** Requires a 304 to GET and HEAD unless a response has none of these entity tags, and a 401 without the key. */
async function assertUnchanged(api: Api, path: string, get: ApiResponse, tags: string): Promise<void> {
  const headers = { "if-none-match": tags };
  for (const method of ["GET", "HEAD"]) {
    assertHeadOf(get, 304, FIELDS, await api.send(method, path, { headers }));
    assertResponse(await api.send(method, path, { key: null, headers }), 401);
  }
}

export const CONDITIONAL_CASES: readonly HttpCase[] = addition(
  "pets.conditional",
  "A GET has an ETag, If-None-Match leads to 304, and HEAD has the head of GET",
  {
    async "answers HEAD and If-None-Match as GET, for pets and for lists of any kind"(api) {
      for (const path of ["/pets?limit=0", `/pets/${ABSENT_ID}`, "/store/orders", "/cats"]) await assertHead(api, path);
      // Both pets have the same length.
      const ids = await addPets(api, ["sold", "sold"]);
      const tags: string[] = [];
      // The lists are first pages, which have a next one, so that no pet of another client changes them.
      for (const path of [...ids.map((id) => `/pets/${id}`), "/pets?limit=1", "/pets?status=sold&limit=1"]) {
        const get = await assertHead(api, path);
        const etag = get.headers.get("etag") ?? "none";
        assert.match(etag, /^(W\/)?"[^"]*"$/, `The ETag of ${path} must be an entity tag`);
        await assertUnchanged(api, path, get, etag);
        tags.push(etag);
      }
      assert.ok(tags[0] !== tags[1], "Two pets have the same entity tag");
    },
    async "answers 304 to an entity tag that still holds, and 200 once the list has grown"(api) {
      const { pageOf } = await openEnd(api);
      const path = `/pets${pageOf(1)}`;
      const get = await api.get(path);
      const etag = get.headers.get("etag") ?? "";
      // The comparison is weak (RFC 9110 §13.1.2).
      const opaque = etag.replace(/^W\//, "");
      for (const tags of [opaque, `W/${opaque}`, `"other"\t,\t ${etag} \t, "x"`, "*"]) {
        await assertUnchanged(api, path, get, tags);
      }
      const unless = (tags: string) => api.get(path, { headers: { "if-none-match": tags } });
      assertResponse(await unless('"other"'), 200);
      // The page is unchanged, but a next page now exists. A 304 would hide it.
      await addPet(api);
      const { status, text } = await unless(etag);
      assert.equal([status, text], [200, get.text], "The status and the body of a page that has a next one now");
    },
  },
);
