/** Renders responses. */

import type { ErrorBody, Problem } from "../http/problem.ts";
import type { JsonObject } from "../json_types.ts";
import type { ResponseDescription } from "../operations/definition.ts";
import type { FailureGroup } from "../operations/failure_groups.ts";
import { errorSchema } from "../operations/schemas.ts";
import { findHeader, referTo } from "./headers.ts";

/** @param more Further headers. */
export function renderSuccess(
  { description, headers = [], schema, example }: ResponseDescription,
  more: JsonObject,
): JsonObject {
  const fields = { ...referTo(headers), ...more, ...(schema === undefined ? {} : referTo(["ContentTypeOptions"])) };
  return {
    description,
    ...(Object.keys(fields).length > 0 && { headers: fields }),
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

export function statusOf({ schema, errors }: FailureGroup): number {
  const [status, ...others] = new Set(errors.map(({ status }) => status));
  if (status === undefined || others.length > 0) throw new TypeError(`${schema} must have one status`);
  return status;
}

/**
 * The response of a group. Each failure is an example.
 *
 * @param more Further headers.
 */
export function renderFailure({ schema, reason, errors }: FailureGroup, more: JsonObject): JsonObject {
  const names = new Set(errors.flatMap((error) => Object.keys(error.headers)));
  const keys = Array.from(names, findHeader).filter((key) => key !== undefined);
  return {
    description: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    headers: { ...referTo(keys), ...more },
    content: {
      "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, examples: renderExamples(errors) },
    },
  };
}

/** The examples by code. If a code occurs again, a number is appended. */
function renderExamples(errors: readonly Problem[]): JsonObject {
  const bodies = errors.map(bodyOf);
  return Object.fromEntries(bodies.map((body, i) => {
    const { code } = body;
    const earlier = bodies.slice(0, i).filter((other) => other.code === code).length;
    return [earlier === 0 ? code : `${code}_${earlier + 1}`, { value: { ...body } }];
  }));
}

function bodyOf({ body }: Problem): ErrorBody {
  return JSON.parse(body);
}

export function codesOf({ errors }: FailureGroup): string[] {
  return errors.map((error) => bodyOf(error).code);
}

/** The schema of a group: an Error with its codes and its status. It has no `allOf`, which not all generators support. */
export function failureSchema(group: FailureGroup): JsonObject {
  const status = statusOf(group);
  return errorSchema([...new Set(codesOf(group))], { enum: [status] }, `An Error with the status ${status}.`);
}
