import { representation } from "../http/conditional.ts";
import { chain } from "../maybe_promise.ts";
import { parsePetId } from "../pet.ts";
import type { Definition, Describe } from "./definition.ts";
import { conditionFailure, petFailure, petNotFound, storeFailure } from "./failure_groups.ts";
import { CONDITIONS, PET_ID, STORED_REX } from "./schemas.ts";

export const getPet: Definition = {
  method: "GET",
  effect: "reads",
  path: "/pets/{petId}",
  deprecation: { since: 1_795_132_800, sunset: "Thu, 05 Dec 2030 00:00:00 GMT", successor: "/pets" },
  createHandler: ({ store }) => ({ parameter }) => {
    const id = parsePetId(parameter);
    return chain(id === undefined ? undefined : store.get(id), (json) => {
      if (json !== undefined) return representation(json, "alteration");
      return { ...petNotFound(parameter), validUntil: "addition" };
    });
  },
};

export const describeGetPet: Describe = () => ({
  id: "getPet",
  tag: "animals",
  summary: "Get an animal",
  description: "Use `GET /pets` with the `status` filter.",
  more: {
    externalDocs: { url: "https://www.rfc-editor.org/rfc/rfc9745", description: "RFC 9745: the Deprecation header" },
    parameters: [PET_ID, ...CONDITIONS],
  },
  responses: {
    200: { description: "The animal.", schema: "Pet", example: STORED_REX, headers: ["ETag"] },
    304: { description: "The animal has not changed.", headers: ["ETag"] },
  },
  failures: [
    petFailure(),
    conditionFailure(),
    storeFailure(),
  ],
});
