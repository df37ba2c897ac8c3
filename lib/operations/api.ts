/** The parts of the description that belong to the whole API. */

import { ERROR_STATUS } from "../error_codes.ts";
import type { JsonObject } from "./json_types.ts";

/**
 * The paragraphs that the description of every petstore begins with. They name the error codes that
 * belong to no operation.
 */
export const INTRODUCTION =
  `This API lists, adds and gets the animals of a catalogue. Send your API key with every request, as
\`Authorization: Bearer <API_KEY>\`. Bodies are JSON. A list comes in pages: the \`Link\` header has the address of the next page.

Every failure has the same body: a \`code\` for programs, a \`message\` for people, and the \`status\`. A path that does not
exist gets ${ERROR_STATUS.route_not_found} \`route_not_found\`, and a method that the path does not have gets
${ERROR_STATUS.method_not_allowed} \`method_not_allowed\`.`;

/** The paragraph about request ids. The description has it if responses carry one. */
export function describeRequestIds(requestIds: "all" | "failures"): string {
  const carriers = requestIds === "all" ? "Every response" : "Every failure";
  return `${carriers} has an \`X-Request-Id\`, which identifies the request in the server's log. A client may send its own id in this header.`;
}

/** The paragraph about CORS. The description has it if pages of other origins may use the API. */
export const CROSS_ORIGIN_PARAGRAPH =
  `Preflights of allowed origins get 204 and need no key. Responses also have \`Vary: Origin\` and the
\`Access-Control-*\` headers of the Fetch standard.`;

export const INFO: JsonObject = { title: "Petstore", version: "1.0.0", license: { name: "MIT", identifier: "MIT" } };

/**
 * The tags of the specification, and the groups that it names for navigation. Viewers show the
 * display name of a tag within its group. GitBook has no groups: it shows the title of the page,
 * and above the tag's description that of the page.
 */
export const TAGS: JsonObject = {
  tags: [
    {
      name: "animals",
      description: "The catalogue of animals.",
      "x-displayName": "Animals",
      "x-page-title": "Pets",
      "x-page-description": "List animals, add one, and get one.",
    },
    {
      name: "store",
      description: "Orders of the store.",
      "x-displayName": "Orders",
      "x-page-title": "Store",
      "x-page-description": "Read the orders of the store.",
    },
  ],
  "x-tagGroups": [{ name: "Pets", tags: ["animals"] }, { name: "Store", tags: ["store"] }],
};

export const SECURITY: JsonObject = {
  bearer: { type: "http", scheme: "bearer", description: "An API key.", "x-gitbook-token-placeholder": "<API_KEY>" },
};
