/**
 * The options of createPetstore() whose effect no store and no host can change: where it is
 * mounted, how it names requests, and what it does with pets. The cases of callbacks, callers and
 * CORS have files of their own.
 */

import assert from "node:assert/strict";
import type { PetstoreOptions } from "../../../mod.ts";
import type { Api } from "../../../packages/conformance/lib/http/api.ts";
import { assertChallenged } from "../../../packages/conformance/lib/http/auth.ts";
import { ABSENT_ID, addPet } from "../../../packages/conformance/lib/http/catalogue.ts";
import { REX, withKey } from "../../../packages/conformance/lib/http/idempotency.ts";
import { assertResponse, linkTo, petOf } from "../../../packages/conformance/lib/http/responses.ts";
import { assertUnknown } from "../../../packages/conformance/lib/http/routes.ts";
import { FORGETFUL } from "../descriptions.ts";
import { until } from "../until.ts";
import type { OwnCase } from "./all.ts";

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

/** An id that crypto.randomUUID() makes. */
const NEW = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const USABLE = ["4bf92f35-77b3/4da6", "~".repeat(128)];
const UNUSABLE = ["", "~".repeat(129), "a b", "caf\u00e9"];

/** The ids of a 200, a 200 that is kept, the same, a 404 and a 401. */
async function idsOf(api: Api, headers: Record<string, string> = {}): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  for (const [path, key] of [["/pets"], ["/pets"], ["/pets"], ["/pets/9"], ["/pets", null]] as const) {
    const response = await api.get(path, { headers, ...key === null && { key } });
    ids.push(response.headers.get("x-request-id"));
  }
  return ids;
}

/** Which of those responses carry an id, by the option. */
const CHOICES: [requestIds: "failures" | "none", carriers: boolean[]][] = [
  ["failures", [false, false, false, true, true]],
  ["none", [false, false, false, false, false]],
];

export const OPTION_CASES: readonly OwnCase[] = [
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
  {
    name: "returns an X-Request-Id of 1 to 128 visible ASCII characters, and replaces any other",
    options: { requestIds: "all" },
    async run(api) {
      for (const id of USABLE) {
        assert.deepEqual(await idsOf(api, { "x-request-id": id }), Array(5).fill(id));
      }
      const made = await idsOf(api);
      for (const id of UNUSABLE) made.push(...await idsOf(api, { "x-request-id": id }));
      for (const id of made) assert.match(id ?? "", NEW);
      assert.equal(new Set(made).size, made.length);
    },
  },
  ...CHOICES.map(([requestIds, carriers]): OwnCase => ({
    name: `gives ${requestIds} of its responses an X-Request-Id, if the app chooses that`,
    options: { requestIds },
    async run(api) {
      assert.deepEqual((await idsOf(api, { "x-request-id": "a" })).map((id) => id !== null), carriers);
    },
  })),
  {
    name: "takes the option defaultStatus for a status that was left out",
    options: { defaultStatus: "pending" },
    async run(api) {
      assert.equal(petOf(await api.post({ name: "Rex", categoryId: 7 }), 201).status, "pending");
    },
  },
  {
    name: "remembers an Idempotency-Key for the configured time",
    options: { idempotencyRetentionMs: 1 },
    async run(api) {
      const ids = new Set<bigint>();
      await until("three pets", async () => ids.add(petOf(await api.post(REX, withKey("a")), 201).id).size === 3);
    },
  },
  {
    name: "answers 501 to an Idempotency-Key where the store cannot remember it",
    options: { store: FORGETFUL },
    async run(api) {
      const refused = await api.post(REX, withKey("a"));
      assertResponse(refused, 501, "not_implemented", { message: /Idempotency-Key/ });
      assert.equal((await api.post(REX)).status, 201);
    },
  },
];
