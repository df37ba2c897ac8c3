/** Renders the headers of responses. */

import type { JsonObject } from "../json_types.ts";
import { type HeaderKey, HEADERS } from "../operations/headers.ts";

const KEYS = Object.keys(HEADERS) as HeaderKey[];
const POINTER = "#/components/headers/";

/** The value of `components.headers`: those that the rest of a description refers to. */
export function renderHeaders(rest: JsonObject): JsonObject {
  const text = JSON.stringify(rest);
  const used = KEYS.filter((key) => text.includes(`"${POINTER}${key}"`));
  return Object.fromEntries(used.map((key) => [key, HEADERS[key].definition]));
}

/** References to headers. */
export function referTo(keys: readonly HeaderKey[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [HEADERS[key].name, { $ref: POINTER + key }]));
}

/** Finds a header by its lower-case name; `undefined` if the description omits it. */
export function findHeader(name: string): HeaderKey | undefined {
  return KEYS.find((key) => HEADERS[key].name.toLowerCase() === name);
}
