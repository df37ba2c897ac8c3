/** What the header fields of a response say: Link, Retry-After, Deprecation and Sunset. */

import type { Hide } from "./redaction.ts";

/** The `Deprecation` (RFC 9745) of an operation, and its `Sunset` (RFC 8594). */
export interface Deprecation {
  /** The name of the operation in the description, such as `getPet`. */
  operation: string;
  /** Since when the operation is deprecated, which may be in the future. */
  since: Date | undefined;
  /** The date after which the operation may be gone. */
  sunset: Date | undefined;
  /** The address of what replaces it; may be relative. */
  successor: string | undefined;
}

/** @param hide Takes the key out of a text, since an app logs this. */
export function readDeprecation(operation: string, headers: Headers, hide: Hide): Deprecation | undefined {
  const value = headers.get("deprecation");
  if (value === null) return undefined;
  const successor = linkTo(headers, "successor-version");
  return {
    operation,
    since: toDate(1000 * Number(value.slice(1))),
    sunset: toDate(Date.parse(headers.get("sunset") ?? "")),
    successor: successor && hide(successor),
  };
}

function toDate(time: number): Date | undefined {
  const date = new Date(time);
  return isNaN(+date) ? undefined : date;
}

/** The target of the first link with this relation (RFC 8288), which may be relative. */
export function linkTo(headers: Headers, relation: string): string | undefined {
  // A comma may also stand in a target or in a title, but none of a petstore has a bracket after it.
  for (const link of (headers.get("link") ?? "").split(/,\s*(?=<)/)) {
    const [, target, parameters = ""] = /^\s*<([^>]*)>(.*)/.exec(link) ?? [];
    const [, relations = ""] = /;\s*rel\s*=\s*"?([^";]*)/i.exec(parameters) ?? [];
    if (relations.toLowerCase().trim().split(/\s+/).includes(relation)) return target;
  }
  return undefined;
}

/** The time that a server asks a client to wait (RFC 9110 §10.2.3), in milliseconds. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const wait = /^\d+$/.test(value) ? 1000 * Number(value) : Date.parse(value) - Date.now();
  return isNaN(wait) ? undefined : Math.max(0, wait);
}
