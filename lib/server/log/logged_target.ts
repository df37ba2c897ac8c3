/** Formats a request's target and method for logs, without keys and control characters. */

import { splitTarget } from "../../http/target.ts";
import { parseCursor } from "../../operations/paging.ts";

/** The replacement of a hidden text. */
export const HIDDEN = "…";
/** The longest text that is shown. Path segments of the service are shorter, and secure keys are longer. */
const MAX_SHOWN = 20;
/** The longest part of a path or a query that is read. Otherwise a client could fill the log with targets of 64 KB. */
const MAX_READ = 200;

/**
 * The path and query of a URL without control characters, and without keys, which some clients put into a URL (RFC 6750
 * §2.3). It shows short path segments and known parameters, and hides everything else.
 */
export function loggedTarget(target: string): string {
  const { path, query } = splitTarget(target);
  const shown = wholeParts(path, "/").map(hideIfLong).join("/");
  const line = query === "" ? shown : `${shown}?${loggedQuery(query)}`;
  return /^[!-~…]*$/.test(line) ? line : line.toWellFormed().replace(/[^!-~…]/gu, encodeURIComponent);
}

/** Hides a text that is long enough to be a key, even as a method, because HTTP allows any method name. */
export function hideIfLong(text: string): string {
  return text.length > MAX_SHOWN ? HIDDEN : text;
}

/** Splits the beginning of a text. If the last part is incomplete, it is hidden, because it may be the start of a key. */
function wholeParts(text: string, separator: string): string[] {
  if (text.length <= MAX_READ) return text.split(separator);
  return [...text.slice(0, MAX_READ).split(separator).slice(0, -1), HIDDEN];
}

function loggedQuery(query: string): string {
  return wholeParts(query, "&").map((parameter) => {
    const [name = ""] = parameter.split("=", 1);
    const value = parameter.slice(name.length + 1);
    const isKnown = name === "cursor" ? parseCursor(value) !== undefined : name === "limit" || name === "status";
    return isKnown && (name === "cursor" || value.length <= MAX_SHOWN) ? parameter : HIDDEN;
  }).join("&");
}
