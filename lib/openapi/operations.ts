/** Renders operations: their definitions, their descriptions, and what follows from them. */

import type { JsonObject } from "../operations/json_types.ts";
import { type Definition, type Deprecation, deprecationOf, type Description } from "../operations/definition.ts";
import { type FailureGroup, sharedFailures } from "../operations/failure_groups.ts";
import type { CheckedSettings } from "../petstore/checked_options.ts";
import type { Stability } from "../petstore/options.ts";
import { referTo, renderFailure, renderSuccess, statusOf } from "./responses.ts";

/** The options that clients can notice. */
export type Contract = Omit<CheckedSettings, "onError" | "onResponse">;

/**
 * The Operation Object.
 *
 * @param responses Those that operations share, by name. Grows.
 */
export function renderOperation(
  definition: Definition,
  description: Description,
  contract: Contract,
  responses: Record<string, JsonObject>,
): JsonObject {
  const deprecation = deprecationOf(definition, contract);
  const shared = sharedFailures(definition.effect, deprecation?.gone);
  const failures = merge([...description.failures, ...shared]);
  return {
    operationId: definition.id,
    tags: [description.tag],
    summary: description.summary,
    description: description.description,
    ...(deprecation && { deprecated: true, "x-deprecated-sunset": deprecation.sunset.toISOString().slice(0, 10) }),
    ...renderStability(contract.stability[definition.id]),
    ...description.more,
    responses: renderResponses(description.responses, failures, deprecation, responses),
  };
}

/**
 * How the stability of an operation is written: in the field that GitBook reads, in the one of Redocly and Scalar, with
 * a label for RapiDoc, which fails without one, and in the one of Mintlify.
 */
function renderStability(stability: Stability | undefined): JsonObject {
  if (stability === undefined) return {};
  const name = stability.charAt(0).toUpperCase() + stability.slice(1);
  return { "x-stability": stability, "x-badges": [{ name, label: name }], "x-mint": { metadata: { tag: name } } };
}

function renderResponses(
  responses: Description["responses"],
  failures: readonly FailureGroup[],
  deprecation: Deprecation | undefined,
  shared: Record<string, JsonObject>,
): JsonObject {
  /** The fields that announce the end of a deprecated operation. A failure before the operation is known, an early one, lacks them. */
  const announced = deprecation ? referTo(["Deprecation", "Sunset", "Successor"]) : {};
  const rendered: JsonObject = {};
  for (const [status, response] of Object.entries(responses)) rendered[status] = renderSuccess(response, announced);
  for (const group of failures) {
    const { isEarly, response } = group;
    const headers = isEarly ? {} : announced;
    // Operations share the response to a failure that is the same for all, which one with announcing fields is not.
    if (response !== undefined && (isEarly || !deprecation)) {
      shared[response] = renderFailure(group, headers);
      rendered[statusOf(group)] = { $ref: `#/components/responses/${response}` };
    } else rendered[statusOf(group)] = renderFailure(group, headers);
  }
  return rendered;
}

/** Joins the groups of failures that have the same status, because a description has one response for each status. */
function merge(groups: readonly FailureGroup[]): FailureGroup[] {
  return Array.from(Map.groupBy(groups, statusOf).values(), ([first, ...others]) => {
    const reason = [first!, ...others].map(({ reason }) => reason).join(", or ");
    return { ...first!, reason, errors: [first!, ...others].flatMap(({ errors }) => errors) };
  });
}
