import { taggedReply } from "../http/conditional.ts";
import type { Reply } from "../http/reply.ts";
import { chain } from "../promises.ts";
import { parsePetId } from "../pet.ts";
import type { Definition, Deprecation, Describe } from "./definition.ts";
import { petFailure, petNotFound, storeFailure } from "./failure_groups.ts";
import { CONDITIONS, PET_EXAMPLE, PET_ID } from "./schemas.ts";

export const getPet: Definition = {
  id: "getPet",
  method: "GET",
  effect: "reads",
  path: "/pets/{petId}",
  isDeprecated: true,
  createHandler({ store }) {
    return ({ parameter }) => {
      const id = parsePetId(parameter);
      if (id === undefined) return notFound(parameter);
      // A store in memory has the pet at once. An `await` would cost its requests a turn.
      return chain(store.get(id), (json) => {
        if (json === undefined) return notFound(parameter);
        // The cache keeps the reply until a pet is altered or removed.
        return taggedReply(json, "alteration");
      });
    };
  },
};

/** The reply for a pet that does not exist. The cache keeps it until a pet is added. */
function notFound(parameter: string): Reply {
  const { status, headers, body, code } = petNotFound(parameter);
  return { status, headers, body, code, invalidatedBy: "addition" };
}

// The description for OpenAPI.

export const describeGetPet: Describe = ({ deprecation }) => ({
  tag: "animals",
  summary: "Get an animal",
  description: "Returns one animal by identifier." + (deprecation ? describeEnd(deprecation) : ""),
  ownMembers: {
    ...(deprecation && { externalDocs: RFC_9745 }),
    parameters: [PET_ID, ...CONDITIONS],
  },
  responses: {
    200: { description: "The animal.", schema: "Pet", example: PET_EXAMPLE, headers: ["ETag"] },
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
