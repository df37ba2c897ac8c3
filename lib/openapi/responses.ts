/** Renders responses and their headers. */

import type { Problem } from "../http/problem.ts";
import type { JsonObject } from "../operations/json_types.ts";
import type { ResponseDescription } from "../operations/definition.ts";
import type { FailureGroup } from "../operations/failure_groups.ts";
import { type HeaderKey, HEADERS } from "../operations/headers.ts";

const KEYS = Object.keys(HEADERS) as HeaderKey[];
const POINTER = "#/components/headers/";

export function renderSuccess(
  { description, headers = [], schema, example }: ResponseDescription,
  furtherHeaders: JsonObject,
): JsonObject {
  return {
    description,
    ...headersMember({ ...referTo(headers), ...furtherHeaders }),
    ...(schema !== undefined && {
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${schema}` },
          ...(example !== undefined && { example }),
        },
      },
    }),
  };
}

/** The member `headers` of a response, which one without headers does not have. */
function headersMember(headers: JsonObject): JsonObject {
  return Object.keys(headers).length > 0 ? { headers } : {};
}

/**
 * The response of a group: an Error, with an example of each failure. The codes are no enumeration, because a strict client would then
 * fail at a code that a later release or a proxy sends.
 */
export function renderFailure({ reason, errors }: FailureGroup, furtherHeaders: JsonObject): JsonObject {
  const names = new Set(errors.flatMap((error) => Object.keys(error.headers)));
  const keys = Array.from(names, findHeader).filter((key) => key !== undefined);
  return {
    description: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    ...headersMember({ ...referTo(keys), ...furtherHeaders }),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: renderExamples(errors),
      },
    },
  };
}

/** The examples by their codes. A code that occurs again gets a longer name, and the summaries tell them apart. */
function renderExamples(errors: readonly Problem[]): JsonObject {
  const examples: JsonObject = {};
  for (const error of errors) {
    const value = JSON.parse(error.body) as JsonObject;
    let name = error.code;
    while (Object.hasOwn(examples, name)) name += "_2";
    examples[name] = { summary: value["message"]!, value };
  }
  return examples;
}

/** The value of `components.headers`: those that the rest of a description refers to. */
export function renderHeaderComponents(rest: JsonObject): JsonObject {
  const text = JSON.stringify(rest);
  const used = KEYS.filter((key) => text.includes(`"${POINTER}${key}"`));
  return Object.fromEntries(used.map((key) => [key, HEADERS[key].definition]));
}

/** Refers to headers that the description has among its components. */
export function referTo(keys: readonly HeaderKey[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [HEADERS[key].name, { $ref: POINTER + key }]));
}

/** Finds a header by its lower-case name; `undefined` if the description omits it. */
function findHeader(name: string): HeaderKey | undefined {
  return KEYS.find((key) => HEADERS[key].name.toLowerCase() === name);
}
