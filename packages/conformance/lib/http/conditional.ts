/** The cases of conditional requests (RFC 9110 §13). */

import type { Api, ApiResponse } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, cases, type HttpCase, ON_BOTH } from "./case.ts";
import { addPet, openEnd, withLimit } from "./catalogue.ts";

const CONDITIONS = addition("pets.conditional", "A GET has an ETag, and If-None-Match leads to 304");

/** Gets a list unless it has one of these entity tags. */
function listUnless(api: Api, path: string, tags: string): Promise<ApiResponse> {
  return api.get(path, { headers: { "if-none-match": tags } });
}

export const CONDITIONAL_CASES: readonly HttpCase[] = [
  ...cases({ ...CONDITIONS, ...ON_BOTH }, {
    async "answers 304 to an entity tag that still holds, and 200 once the list has grown"(api) {
      const path = `/pets${withLimit((await openEnd(api)).query, 1)}`;
      const { headers, text } = await api.get(path);
      const etag = headers.get("etag") ?? "";
      // The comparison is weak (RFC 9110 §13.1.2).
      const opaque = etag.replace(/^W\//, "");
      for (
        const tags of [
          etag,
          opaque,
          `W/${opaque}`,
          `"other", ${etag}`,
          `${etag},"other"`,
          "*",
          `"other"\t,\t ${etag} \t, "x"`,
        ]
      ) {
        const again = await listUnless(api, path, tags);
        assert.deepEqual(
          [again.status, again.text, again.headers.get("etag")],
          [304, "", etag],
          `The status, the body and the ETag if not ${tags}`,
        );
      }
      for (
        const tags of ['"other"', opaque.slice(1, -1), `"x${opaque.slice(1)}`, `"other"\u00a0,\u00a0${etag}\u00a0`]
      ) {
        assertStatus(await listUnless(api, path, tags), 200, `If-None-Match: ${tags}`);
      }
      // The page is unchanged, but a next page now exists. A 304 would hide it.
      await addPet(api);
      const grown = await listUnless(api, path, etag);
      assert.deepEqual(
        [grown.status, grown.text],
        [200, text],
        "The status and the body of a page that has a next one from now on",
      );
      const again = await listUnless(api, path, grown.headers.get("etag") ?? "");
      assert.deepEqual(
        [again.status, again.headers.get("link")],
        [304, grown.headers.get("link")],
        "The status and the Link if not its entity tag",
      );
    },
  }),
];
