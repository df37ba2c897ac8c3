/** The cases of one pet: section 4.3 of the specification. */

import type { RequestParts } from "./api.ts";
import * as assert from "./assert.ts";
import { addition, type HttpCase, says } from "./case.ts";
import { ABSENT_ID, addPet } from "./catalogue.ts";
import { assertResponse, linkTo, petOf } from "./responses.ts";

/** Ids that are an int64, and that hardly any pet has. */
const ABSENT = [ABSENT_ID, "0", "-1", `${-(2n ** 63n)}`, "4611686018427387905"];

/** Widths of integers, in bits: a server that keeps only so many of them takes an id plus this power of two for the id. */
const WIDTHS = [8n, 32n, 53n, 64n];

/** Makes texts that are another integer than the id of a pet, or none, although servers have read them as the id. */
function resembling(id: bigint): string[] {
  return [
    ...WIDTHS.map((bits) => `${id + 2n ** bits}`),
    `-${id}`,
    `abc${id}`,
    `${id}abc`,
    `${id}.5`,
    `${id}%00`,
    `${id}%20or%201=1`,
  ];
}

/** Makes other notations of an id, which some servers read as the same integer. */
function notationsOf(id: bigint): string[] {
  return [`0${id}`, `+${id}`, `${id}.0`, `%20${id}`, `0x${id.toString(16)}`];
}

const NO_IDS = [..."%zz %FF %2F %D9%A1 __proto__".split(" "), "x".repeat(3000)];

/** Deprecation, Sunset, and whether the successor is the list. */
const DEPRECATED = ["@1795132800", "Thu, 05 Dec 2030 00:00:00 GMT", true];

export const GET_CASES: readonly HttpCase[] = [
  ...says("pets.get", "4.3: petId is an int64, and 404 if no pet has it", {
    async "finds a pet by its whole id alone"(api) {
      const id = await addPet(api);
      petOf(await api.get(`/pets/${id}`));
      for (const other of ABSENT) assertResponse(await api.get(`/pets/${other}`), 404);
      for (const other of resembling(id)) {
        const response = await api.get(`/pets/${other}`);
        // Another petstore may have a pet with a large or a negative id.
        if (response.status !== 200) continue;
        assert.equal(String(petOf(response).id), other, `The id of the pet at /pets/${other}`);
      }
    },
  }),
  ...addition("pets.get", "A petId that cannot be an id is 404, like one that does not exist", {
    async "answers 404 pet_not_found to every petId that no pet has, or could have"(api) {
      const known = await addPet(api);
      for (const id of [...ABSENT, ...resembling(known), ...notationsOf(known), ...NO_IDS]) {
        assertResponse(await api.get(`/pets/${id}`), 404, "pet_not_found");
      }
    },
  }),
  ...addition(
    "pets.get",
    "Every response of /pets/{petId} has Deprecation (RFC 9745), Sunset (RFC 8594) and a successor",
    {
      async "marks every response of /pets/{petId} as deprecated, except a 401"(api) {
        const path = `/pets/${await addPet(api)}`;
        const requests: [method: string, path: string, status: number, parts?: RequestParts][] = [
          ["GET", path, 200],
          ["OPTIONS", path, 204],
          ["POST", path, 405],
          ["GET", `/pets/${ABSENT_ID}`, 404],
          ["GET", path, 401, { key: null }],
          ["GET", "/pets", 200],
        ];
        for (const [method, path, status, parts] of requests) {
          const response = await api.send(method, path, parts);
          assertResponse(response, status);
          const { headers } = response;
          const successor = linkTo(response, "successor-version")?.endsWith("/pets") ?? null;
          const shown = [headers.get("deprecation"), headers.get("sunset"), successor];
          const wanted = status === 401 || path === "/pets" ? [null, null, null] : DEPRECATED;
          assert.equal(shown, wanted, `The deprecation, its end and its successor of ${response.request}`);
        }
      },
    },
  ),
];
