import type { Problem } from "../http/problem.ts";
import { findHeader, type HeaderKey, referTo } from "./headers.ts";
import type { JsonObject } from "./json_types.ts";

/** Failures with the same status, which therefore share a response. */
export interface FailureGroup {
  /** The name of the schema of their bodies. Generators create a type with this name. */
  schema: string;
  /** When the response occurs: a clause that `or` can join to another. */
  reason: string;
  /** At least one. */
  errors: readonly Problem[];
  /** The name of the response in `components.responses`, if several operations share it. */
  response?: string;
  /** Further headers. */
  headers?: JsonObject;
}

/** A response whose body has the named schema. */
export function success(
  description: string,
  schema: string,
  example: JsonObject | JsonObject[],
  headers: readonly HeaderKey[],
): JsonObject {
  return {
    description,
    headers: referTo([...headers, "ContentTypeOptions"]),
    content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example } },
  };
}

export function bodiless(description: string, headers: readonly HeaderKey[]): JsonObject {
  return { description, headers: referTo(headers) };
}

export function statusOf({ schema, errors }: FailureGroup): number {
  const [status, ...others] = new Set(errors.map(({ status }) => status));
  if (status === undefined || others.length > 0) throw new TypeError(`${schema} must have one status`);
  return status;
}

/** The response of a group. Each failure is an example. */
export function failure({ schema, reason, errors, headers }: FailureGroup): JsonObject {
  const names = new Set(errors.flatMap((error) => Object.keys(error.headers)));
  const keys = Array.from(names, findHeader).filter((key) => key !== undefined);
  return {
    description: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    headers: { ...referTo(keys), ...headers, ...referTo(["ContentTypeOptions"]) },
    content: {
      "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, examples: createExamples(errors) },
    },
  };
}

/** The examples by code. If a code occurs again, a number is appended. */
function createExamples(errors: readonly Problem[]): JsonObject {
  return Object.fromEntries(errors.map(({ code, message, status }, i) => {
    const earlier = errors.slice(0, i).filter((error) => error.code === code).length;
    return [earlier === 0 ? code : `${code}_${earlier + 1}`, { value: { code, message, status } }];
  }));
}

/**
 * The schema of a group: an Error with the group's codes and status. It has no `allOf`, and an `enum` even for a single
 * value, because not all generators support `allOf` and `const`.
 */
export function failureSchema(group: FailureGroup): JsonObject {
  const codes = new Set(group.errors.map(({ code }) => code));
  return errorSchema([...codes], { enum: [statusOf(group)] }, `An Error with the status ${statusOf(group)}.`);
}

export function errorSchema(codes: string[], status: JsonObject, description: string): JsonObject {
  return {
    type: "object",
    required: ["code", "message", "status"],
    properties: {
      code: { type: "string", enum: codes, description: "Machine-readable error code." },
      message: { type: "string", description: "Human-readable description. It may change." },
      status: { type: "integer", format: "int32", ...status, description: "The HTTP status code of the response." },
    },
    description,
  };
}
