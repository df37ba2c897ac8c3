import { linkTo } from "./link.ts";
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
