/** The operation `listPets`: its handler, its parameters and its description. The page comes from the store as text. */

import { taggedReply } from "../http/conditional.ts";
import { Problem } from "../http/problem.ts";
import { decodeQuery, queryValues, splitQuery } from "../http/request_text.ts";
import { quoted } from "../excerpt.ts";
import type { JsonObject } from "./json_types.ts";
import { chain } from "../promises.ts";
import { isPetStatus, PET_STATUSES } from "../pet.ts";
import type { PetQuery } from "../stores/store.ts";
import { type Definition, type Describe, linkBaseOf } from "./definition.ts";
import { group, storeFailure } from "./failure_groups.ts";
import { formatCursor, LIMIT, parseCursor } from "./paging.ts";
import { CONDITIONS, PET_EXAMPLE } from "./schemas.ts";

export const listPets: Definition = {
  id: "listPets",
  method: "GET",
  effect: "reads",
  path: "/pets",
  createHandler(settings) {
    return ({ query }) => {
      const petQuery = readPetQuery(query);
      // A store in memory has the page at once. An `await` would cost its requests a turn.
      return chain(settings.store.list(petQuery), ({ json, next }) => {
        // The cache keeps the last page until a pet is added. A store of the app may say by null that no page follows.
        if (next == null) return taggedReply(json, "addition");
        // It keeps any other page until a pet is altered or removed, because new pets come after the last one.
        return taggedReply(json, "alteration", { link: nextLink(linkBaseOf(settings), petQuery, next) });
      });
    };
  },
};

/** What each query parameter must be. Messages say it after "must be". */
const VALID_VALUES = {
  limit: `a whole number from ${LIMIT.minimum} to ${LIMIT.maximum}`,
  status: `one of ${PET_STATUSES.join(", ")}`,
  cursor: "taken from the Link header of a list",
};

type ParameterName = keyof typeof VALID_VALUES;

/** The query parameters that a list has, by their names. */
export const LIST_PARAMETERS: readonly string[] = Object.keys(VALID_VALUES);

function readPetQuery(query: string): PetQuery {
  const parameters = splitQuery(query);
  return {
    limit: readParameter(parameters, "limit", parseLimit) ?? LIMIT.default,
    status: readParameter(parameters, "status", (value) => isPetStatus(value) ? value : undefined),
    after: readParameter(parameters, "cursor", parseCursor) ?? 0n,
  };
}

function readParameter<T>(
  parameters: readonly string[],
  name: ParameterName,
  parse: (value: string) => T | undefined,
): T | undefined {
  const [first, ...others] = queryValues(parameters, name);
  if (first === undefined) return undefined;
  if (others.length > 0) throw repeatedParameter(name);
  const value = decodeQuery(first);
  if (value === undefined) throw invalidParameter(name, first);
  const parsed = parse(value);
  if (parsed === undefined) throw invalidParameter(name, value);
  return parsed;
}

/** For example, `The query parameter limit must be a whole number from 1 to 100, and given once`. */
function repeatedParameter(name: ParameterName): Problem {
  return new Problem(
    400,
    `invalid_${name}`,
    `The query parameter ${name} must be ${VALID_VALUES[name]}, and given once`,
  );
}

/** For example, `The query parameter limit must be a whole number from 1 to 100, not "101"`. */
function invalidParameter(name: ParameterName, value: string): Problem {
  const message = `The query parameter ${name} must be ${VALID_VALUES[name]}, not ${quoted(value)}`;
  return new Problem(400, `invalid_${name}`, message);
}

function parseLimit(value: string): number | undefined {
  return /^[1-9]\d*$/.test(value) && +value <= LIMIT.maximum ? +value : undefined;
}

/** The link to the next page. It is relative without `publicBaseUrl`, because a proxy may hide the public address. */
function nextLink(linkBase: string, { limit, status }: PetQuery, next: bigint): string {
  const filter = status === undefined ? "" : `&status=${status}`;
  return `<${linkBase}/pets?limit=${limit}${filter}&cursor=${formatCursor(next)}>; rel="next"`;
}

// The description for OpenAPI.

export const describeListPets: Describe = () => ({
  tag: "animals",
  summary: "List all animals",
  description: "Returns a paginated list of animals, in the order of `id`. Follow " +
    '`Link: <…>; rel="next"` until a page has none.',
  ownMembers: {
    externalDocs: { url: "https://www.rfc-editor.org/rfc/rfc8288", description: "RFC 8288: the Link header" },
    parameters: [...describeParameters(), ...CONDITIONS],
  },
  responses: {
    200: { description: "A page of animals.", schema: "Pets", example: [PET_EXAMPLE], headers: ["ETag", "NextPage"] },
    304: { description: "The page has not changed.", headers: ["ETag", "NextPage"] },
  },
  failures: [
    group("a query parameter is invalid, empty or repeated", [
      invalidParameter("limit", "101"),
      invalidParameter("status", "lost"),
      invalidParameter("cursor", "abc"),
    ]),
    storeFailure(),
  ],
});

/** This is a function, so that a bundler drops it from an app that makes no description. */
function describeParameters(): JsonObject[] {
  return [
    {
      name: "limit",
      in: "query",
      description: "The maximum number of animals returned in one response.",
      schema: { type: "integer", format: "int32", ...LIMIT },
    },
    {
      name: "status",
      in: "query",
      description: "Restricts the result to animals with that status.",
      schema: { $ref: "#/components/schemas/PetStatus" },
    },
    {
      name: "cursor",
      in: "query",
      description: "Where the page begins. Take this opaque text from the `Link` header of the previous page.",
      schema: { type: "string" },
    },
  ];
}
