/** Renders responses and their headers. */

import type { Problem } from "../http/problem.ts";
import type { JsonObject } from "../operations/json_types.ts";
import type { ResponseDescription } from "../operations/definition.ts";
import type { FailureGroup } from "../operations/failure_groups.ts";
import { type HeaderKey, HEADERS } from "../operations/headers.ts";

const KEYS = Object.keys(HEADERS) as HeaderKey[];
const POINTER = "#/components/headers/";

/** @param more Further headers. */
export function renderSuccess(
  { description, headers = [], schema, example }: ResponseDescription,
  more: JsonObject,
): JsonObject {
  return {
    description,
    ...renderFields({ ...referTo(headers), ...more }),
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

function renderFields(headers: JsonObject): JsonObject {
  return Object.keys(headers).length > 0 ? { headers } : {};
}

export function statusOf({ reason, errors }: FailureGroup): number {
  const [status, ...others] = new Set(errors.map(({ status }) => status));
  if (status === undefined || others.length > 0) throw new TypeError(`Failures must have one status: ${reason}`);
  return status;
}

/**
 * The response of a group: an Error, with an example of each failure. The codes are no enumeration, because a strict client would then
 * fail at a code that a later release or a proxy sends.
 *
 * @param more Further headers.
 */
export function renderFailure({ reason, errors }: FailureGroup, more: JsonObject): JsonObject {
  const names = new Set(errors.flatMap((error) => Object.keys(error.headers)));
  const keys = Array.from(names, findHeader).filter((key) => key !== undefined);
  return {
    description: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    ...renderFields({ ...referTo(keys), ...more }),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: renderExamples(errors),
      },
    },
  };
}

/** The examples by code. Where a code occurs again, a number is appended, and a summary tells the examples apart. */
function renderExamples(errors: readonly Problem[]): JsonObject {
  return Object.fromEntries(errors.map((error) => {
    const { code, body } = error;
    const value = JSON.parse(body) as JsonObject;
    const alike = errors.filter((other) => other.code === code);
    const place = alike.indexOf(error), name = place === 0 ? code : `${code}_${place + 1}`;
    return [name, { ...(alike.length > 1 && { summary: String(value["message"]) }), value }];
  }));
}

/** The value of `components.headers`: those that the rest of a description refers to. */
export function renderHeaders(rest: JsonObject): JsonObject {
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
