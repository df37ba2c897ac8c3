/** Where a petstore is mounted, what lies outside, and what only this library's own petstore is asked. */

import assert from "node:assert/strict";
import type { PetstoreOptions } from "../../../mod.ts";
import { assertChallenged } from "../../../packages/conformance/lib/http/auth.ts";
import { assertResponse } from "../../../packages/conformance/lib/http/responses.ts";
import type { OwnCase } from "./all.ts";
import { ABSENT_ID, addPet } from "../../../packages/conformance/lib/http/catalogue.ts";
import { linkTo } from "../../../packages/conformance/lib/http/responses.ts";
import { assertUnknown } from "../../../packages/conformance/lib/http/routes.ts";

/** A deprecation whose two days have passed. */
const ENDED = { since: new Date("2020-01-02"), sunset: new Date("2021-03-04"), gone: true };

/** Where a petstore is mounted, and how its links begin. */
const MOUNTS: readonly [name: string, options: Partial<PetstoreOptions>, start: string][] = [
  ["serves under any base path", { basePath: "/api/v1" }, "/api/v1"],
  ["serves at the root", { basePath: "" }, ""],
  [
    "begins links with its configured public address, and ignores forwarded headers",
    { publicBaseUrl: "https://api.example/store/v1/" },
    "https://api.example/store/v1",
  ],
];

const FORWARDED = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "ftp", forwarded: "host=evil.example" };

const MOUNT_CASES = MOUNTS.map(([name, options, start]): OwnCase => ({
  name,
  options,
  async run(api) {
    const sent = { headers: FORWARDED };
    for (const id of [1, 2]) {
      const { headers } = await api.post({ name: "Rex", categoryId: 7 }, sent);
      assert.equal(headers.get("location"), `${start}/pets/${id}`);
    }
    const next = linkTo(await api.get("/pets?limit=1", sent), "next") ?? "";
    assert.match(next.replace(start, ""), /^\/pets\?limit=1&cursor=[A-Za-z0-9]+$/);
    assert.equal(linkTo(await api.get("/pets/1", sent), "successor-version"), `${start}/pets`);
    if (options.basePath) assert.equal((await api.get("//v1/pets", sent)).status, 404);
  },
}));

export const OWN_ROUTE_CASES: readonly OwnCase[] = [
  {
    name: "answers 401 missing_api_key on every path outside the base path",
    run: (api) => assertChallenged(api, ["//v2/pets", "//"]),
  },
  // Paths that begin with `//` are relative to the root.
  {
    name: "answers 404 route_not_found to every path outside the base path",
    run: (api) => assertUnknown(api, ["", "/", "//v1", "//v1x/pets", "//v2/pets", "//pets", "//", "//v1//pets"]),
  },
  ...MOUNT_CASES,
  {
    name: "answers 410 gone in place of a pet after the end of the operation, with the successor in Link",
    options: { deprecation: ENDED },
    async run(api) {
      const path = `/pets/${await addPet(api)}`;
      for (const each of [path, `/pets/${ABSENT_ID}`]) {
        const response = await api.get(each);
        assertResponse(response, 410, "gone", { headers: { sunset: ENDED.sunset.toUTCString() } });
        assert.match(linkTo(response, "successor-version") ?? "", /\/pets$/);
        // Browsers would keep a 410 for good, also if the operation works again.
        assert.match(response.headers.get("cache-control") ?? "", /\bno-(cache|store)\b/);
      }
      assert.equal((await api.get(path, { key: null })).status, 401);
      assert.equal((await api.send("OPTIONS", path)).status, 204);
      assert.equal((await api.get("/pets")).status, 200);
    },
  },
];
