/** The header fields of a request of `node:http`. */

import type { NodeRequest } from "./node_types.ts";

/**
 * The value of a field, or null. It is not taken from `headers`, where Node drops some repeated
 * fields.
 *
 * @param name The name in lower case.
 */
export function fieldOf(incoming: NodeRequest, name: string): string | null {
  const fields = namesAndValues(incoming);
  let value: string | null = null;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const field = fields[i]!;
    if (field.length !== name.length || (field !== name && field.toLowerCase() !== name)) continue;
    value = value === null ? fields[i + 1]! : `${value}, ${fields[i + 1]}`;
  }
  return value;
}

/**
 * The names and the values of the fields, in turn. Requests without a socket, as on
 * serverless-http, have `headers` alone.
 */
export function namesAndValues({ rawHeaders, headers }: NodeRequest): readonly string[] {
  if (rawHeaders?.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [name, String(value)]);
}
