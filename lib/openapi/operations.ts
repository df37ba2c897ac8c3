/** Renders operations: their definitions, their descriptions, and what follows from them. */

import type { JsonObject } from "../operations/json_types.ts";
import { type Definition, type Deprecation, deprecationOf, type Description } from "../operations/definition.ts";
import { commonFailures, type FailureGroup } from "../operations/failure_groups.ts";
import type { CheckedOptions } from "../petstore/checked_options.ts";
import type { Stability } from "../petstore/options.ts";
import { referTo, renderFailure, renderSuccess } from "./responses.ts";

/** The failures of an operation, in a group for each status: its own, and those that every operation can have. */
export function failuresOf(
  definition: Definition,
  description: Description,
  settings: CheckedOptions,
): readonly FailureGroup[] {
  const deprecation = deprecationOf(definition, settings);
  return mergeByStatus([...description.failures, ...commonFailures(definition.effect, deprecation?.gone)]);
}

/** The Operation Object. It refers to the responses of {@link renderSharedResponses}. */
export function renderOperation(
  definition: Definition,
  description: Description,
  failures: readonly FailureGroup[],
  settings: CheckedOptions,
): JsonObject {
  const deprecation = deprecationOf(definition, settings);
  return {
    operationId: definition.id,
    tags: [description.tag],
    summary: description.summary,
    description: description.description,
    ...(deprecation && { deprecated: true, "x-deprecated-sunset": deprecation.sunset.toISOString().slice(0, 10) }),
    ...renderStability(settings.stability[definition.id]),
    ...description.ownMembers,
    responses: renderResponses(description.responses, failures, deprecation),
  };
}

/** The responses that operations share, by their names. They may occur before the operation is known, so they do not announce its end. */
export function renderSharedResponses(failures: readonly FailureGroup[]): Record<string, JsonObject> {
  const shared: Record<string, JsonObject> = {};
  for (const group of failures) {
    if (group.sharedName !== undefined) shared[group.sharedName] = renderFailure(group, {});
  }
  return shared;
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
): JsonObject {
  /** The fields that announce the end of a deprecated operation. */
  const announced = deprecation ? referTo(["Deprecation", "Sunset", "Successor"]) : {};
  const rendered: JsonObject = {};
  for (const [status, response] of Object.entries(responses)) rendered[status] = renderSuccess(response, announced);
  for (const group of failures) {
    const { sharedName } = group;
    rendered[statusOf(group)] = sharedName === undefined
      ? renderFailure(group, announced)
      : { $ref: `#/components/responses/${sharedName}` };
  }
  return rendered;
}

/**
 * Joins the groups of failures that have the same status, because a description has one response for each status. The first group says whether
 * the response is shared.
 */
function mergeByStatus(groups: readonly FailureGroup[]): FailureGroup[] {
  const byStatus = Map.groupBy(groups, statusOf);
  return Array.from(byStatus.values(), (sameStatus) => ({
    ...sameStatus[0]!,
    reason: sameStatus.map(({ reason }) => reason).join(", or "),
    errors: sameStatus.flatMap(({ errors }) => errors),
  }));
}

function statusOf({ reason, errors }: FailureGroup): number {
  const [status, ...others] = new Set(errors.map(({ status }) => status));
  if (status === undefined || others.length > 0) throw new TypeError(`Failures must have one status: ${reason}`);
  return status;
}
