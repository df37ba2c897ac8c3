/** Request ids, by which a client, a proxy and the operator mean the same request. */

import type { Api } from "../../../packages/conformance/lib/http/api.ts";
import assert from "node:assert/strict";
import type { OwnCase } from "./all.ts";

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

export const REQUEST_ID_CASES: readonly OwnCase[] = [
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
];
