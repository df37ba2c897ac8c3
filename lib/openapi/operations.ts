/** Renders operations: their definitions, their descriptions, and what follows from them. */

import type { JsonObject } from "../json_types.ts";
import type { Definition, Deprecation, Description } from "../operations/definition.ts";
import { callerFailures, type FailureGroup, unexpectedFailures, writerFailures } from "../operations/failure_groups.ts";
import { withoutPrototype } from "../without_prototype.ts";
import { renderDeprecation } from "./headers.ts";
import { renderFailure, renderSuccess, statusOf } from "./responses.ts";

/** An operation with all its failures. */
export interface RenderedOperation {
  path: string;
  method: string;
  /** The Operation Object. */
  operationObject: JsonObject;
  failures: readonly FailureGroup[];
}

/**
 * @param added Further failures that every operation can have.
 * @param common Further headers that every response with a status can have.
 */
export function renderOperation(
  definition: Definition,
  description: Description,
  added: readonly FailureGroup[],
  common: (status: number) => JsonObject,
): RenderedOperation {
  const { method, effect, path, deprecation, stability } = withoutPrototype(definition);
  const failures = merge([
    ...description.failures,
    ...callerFailures(),
    ...(effect !== "reads" ? writerFailures() : []),
    ...unexpectedFailures(),
    ...added,
  ]);
  const day = deprecation && new Date(deprecation.sunset).toISOString().slice(0, 10);
  return {
    path,
    method: method.toLowerCase(),
    operationObject: {
      operationId: description.id,
      tags: [description.tag],
      summary: description.summary,
      description: (day === undefined ? "" : `Deprecated, to be removed on ${day}. `) + description.description,
      ...(day !== undefined && { deprecated: true, "x-deprecated-sunset": day }),
      ...(stability !== undefined && { "x-stability": stability }),
      ...description.more,
      responses: renderResponses(description, failures, deprecation, common),
    },
    failures,
  };
}

function renderResponses(
  { responses }: Description,
  failures: readonly FailureGroup[],
  deprecation: Deprecation | undefined,
  common: (status: number) => JsonObject,
): JsonObject {
  const always = deprecation ? renderDeprecation(deprecation, true) : {};
  const sometimes = deprecation ? renderDeprecation(deprecation, false) : {};
  const rendered: JsonObject = {};
  for (const [status, response] of Object.entries(responses)) {
    rendered[status] = renderSuccess(response, { ...always, ...common(Number(status)) });
  }
  for (const group of failures) {
    const { phase, response } = withoutPrototype(group);
    const isShared = response !== undefined && (!deprecation || phase === "before");
    const announced = phase === "before" ? {} : phase === "both" ? sometimes : always;
    const status = statusOf(group);
    rendered[status] = isShared
      ? { $ref: `#/components/responses/${response}` }
      : renderFailure(group, { ...announced, ...common(status) });
  }
  return rendered;
}

/** Groups with the same status become one, with the schema of the first. */
function merge(groups: readonly FailureGroup[]): FailureGroup[] {
  return Array.from(Map.groupBy(groups, statusOf).values(), ([first, ...others]) => {
    const reason = [first!, ...others].map(({ reason }) => reason).join(", or ");
    return { ...first!, reason, errors: [first!, ...others].flatMap(({ errors }) => errors) };
  });
}
