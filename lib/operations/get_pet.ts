import { taggedReply } from "../http/conditional.ts";
import { chain } from "../promises.ts";
import { parsePetId } from "../pet.ts";
import type { Definition, Deprecation, Describe } from "./definition.ts";
import { petFailure, petNotFound, storeFailure } from "./failure_groups.ts";
import { CONDITIONS, PET_ID, STORED_REX } from "./schemas.ts";

export const getPet: Definition = {
  id: "getPet",
  method: "GET",
  effect: "reads",
  path: "/pets/{petId}",
  isDeprecated: true,
  createHandler: ({ store }) => ({ parameter }) => {
    const id = parsePetId(parameter);
    return chain(id === undefined ? undefined : store.get(id), (json) => {
      if (json !== undefined) return taggedReply(json, "alteration");
      return { ...petNotFound(parameter), invalidatedBy: "addition" };
    });
  },
};

export const describeGetPet: Describe = ({ deprecation }) => ({
  tag: "animals",
  summary: "Get an animal",
  description: "Returns one animal by identifier." + (deprecation ? describeEnd(deprecation) : ""),
  ownMembers: {
    ...(deprecation && { externalDocs: RFC_9745 }),
    parameters: [PET_ID, ...CONDITIONS],
  },
  responses: {
    200: { description: "The animal.", schema: "Pet", example: STORED_REX, headers: ["ETag"] },
    304: { description: "The animal has not changed.", headers: ["ETag"] },
  },
  failures: [petFailure(), storeFailure()],
});

const RFC_9745 = { url: "https://www.rfc-editor.org/rfc/rfc9745", description: "RFC 9745: the Deprecation header" };

function describeEnd({ sunset, successor }: Deprecation): string {
  const day = sunset.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  const replacement = successor === "/pets" ? "`GET /pets` with the `status` filter" : `\`${successor}\``;
  return ` Deprecated, and to be removed on ${day}. The replacement is ${replacement}.`;
}
