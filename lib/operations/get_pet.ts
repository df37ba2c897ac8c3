import { representation } from "../http/conditional.ts";
import { Problem } from "../http/problem.ts";
import { quoted } from "../json.ts";
import { chain } from "../maybe_promise.ts";
import { parsePetId } from "../pet.ts";
import type { Definition, Describe } from "./definition.ts";
import { conditionFailure, group, storeFailure } from "./failure_groups.ts";
import { CONDITIONS, STORED_REX } from "./schemas.ts";

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

function petNotFound(id: string): Problem {
  return new Problem(404, "pet_not_found", `There is no pet ${quoted(id)}`);
}

export const describeGetPet: Describe = () => ({
  id: "getPet",
  tag: "animals",
  summary: "Get an animal",
  description: "Use `GET /pets` with the `status` filter.",
  more: {
    externalDocs: { url: "https://www.rfc-editor.org/rfc/rfc9745", description: "RFC 9745: the Deprecation header" },
    parameters: [
      {
        name: "petId",
        in: "path",
        required: true,
        description: "Identifier of the animal to retrieve.",
        schema: { type: "integer", format: "int64" },
        example: 1,
      },
      ...CONDITIONS,
    ],
  },
  responses: {
    200: { description: "The animal.", schema: "Pet", example: STORED_REX, headers: ["ETag"] },
    304: { description: "The animal has not changed.", headers: ["ETag"] },
  },
  failures: [
    group("PetNotFoundError", "there is no such animal", [petNotFound("9")]),
    conditionFailure(),
    storeFailure(),
  ],
});
