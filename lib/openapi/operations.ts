/** Renders operations, their responses, and the headers of these. */

import type { Problem } from "../http/problem.ts";
import type { Json, JsonObject } from "../operations/json_types.ts";
import {
  type Definition,
  deprecationOf,
  type Description,
  type ResponseDescription,
} from "../operations/definition.ts";
import { commonFailures, type FailureGroup } from "../operations/failure_groups.ts";
import { type HeaderKey, HEADERS } from "../operations/headers.ts";
import type { CheckedOptions } from "../petstore/checked_options.ts";
import type { Stability } from "../petstore/options.ts";

const KEYS = Object.keys(HEADERS) as HeaderKey[];
const POINTER = "#/components/headers/";

interface RenderedOperation {
  /** The Operation Object of OpenAPI. */
  operation: JsonObject;
  /** The responses to which the object refers, and which operations share, by their names in `components.responses`. */
  sharedResponses: JsonObject;
}

export function renderOperation(
  definition: Definition,
  description: Description,
  settings: CheckedOptions,
): RenderedOperation {
  const deprecation = deprecationOf(definition, settings);
  /** The fields that announce the end of a deprecated operation. */
  const announced: HeaderKey[] = deprecation ? ["Deprecation", "Sunset", "Successor"] : [];
  const responses: JsonObject = {};
  const sharedResponses: JsonObject = {};
  for (const [status, response] of Object.entries(description.responses)) {
    responses[status] = renderSuccess(response, announced);
  }
  const failures = [...description.failures, ...commonFailures(definition.effect, deprecation?.gone)];
  for (const [status, groups] of Map.groupBy(failures, ({ errors }) => errors[0]!.status)) {
    const group = joinGroups(groups);
    const { sharedName } = group;
    if (sharedName === undefined) {
      responses[status] = renderFailure(group, announced);
    } else {
      // A shared response may occur before the operation is known, so it does not announce its end.
      sharedResponses[sharedName] = renderFailure(group);
      responses[status] = { $ref: `#/components/responses/${sharedName}` };
    }
  }
  const operation = {
    operationId: definition.id,
    tags: [description.tag],
    summary: description.summary,
    description: description.description,
    ...(deprecation && { deprecated: true, "x-deprecated-sunset": deprecation.sunset.toISOString().slice(0, 10) }),
    ...renderStability(settings.stability[definition.id]),
    ...description.ownMembers,
    responses,
  };
  return { operation, sharedResponses };
}

/**
 * How the stability of an operation is written: in the field that GitBook reads, in the one of
 * Redocly and Scalar, with a label for RapiDoc, which fails without one, and in the one of
 * Mintlify.
 */
function renderStability(stability: Stability | undefined): JsonObject {
  if (stability === undefined) return {};
  const name = stability.charAt(0).toUpperCase() + stability.slice(1);
  return { "x-stability": stability, "x-badges": [{ name, label: name }], "x-mint": { metadata: { tag: name } } };
}

/**
 * Joins the groups of failures that have the same status, because a description has one response
 * for each status. The first group says whether the response is shared.
 */
function joinGroups(groups: readonly FailureGroup[]): FailureGroup {
  return {
    ...groups[0]!,
    reason: groups.map(({ reason }) => reason).join(", or "),
    errors: groups.flatMap(({ errors }) => errors),
  };
}

function renderSuccess(
  { description, headers = [], schema, example }: ResponseDescription,
  announced: readonly HeaderKey[],
): JsonObject {
  return {
    description,
    ...headersMember([...headers, ...announced]),
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

/**
 * The member `headers` of a response, which refers to components of the description. A response
 * without headers does not have it.
 */
function headersMember(keys: readonly HeaderKey[]): JsonObject {
  if (keys.length === 0) return {};
  return { headers: Object.fromEntries(keys.map((key) => [HEADERS[key].name, { $ref: POINTER + key }])) };
}

/**
 * The response of a group: an Error, with an example of each failure. The codes are no enumeration,
 * because a strict client would then fail at a code that a later release or a proxy sends.
 */
function renderFailure({ reason, errors }: FailureGroup, announced: readonly HeaderKey[] = []): JsonObject {
  const names = new Set(errors.flatMap((error) => Object.keys(error.headers)));
  // The description omits some headers.
  const keys = [...names].flatMap((name) => KEYS.find((key) => HEADERS[key].name.toLowerCase() === name) ?? []);
  return {
    description: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    ...headersMember([...keys, ...announced]),
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
  const references = new Set(referencesIn(rest));
  const used = KEYS.filter((key) => references.has(POINTER + key));
  return Object.fromEntries(used.map((key) => [key, HEADERS[key].definition]));
}

/** The value of each `$ref` within a JSON value. */
function referencesIn(value: Json): Json[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => name === "$ref" ? [member] : referencesIn(member));
}
