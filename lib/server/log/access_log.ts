/** The access log: one line for each request. */

import { parseCursor } from "../../service/cursor.ts";
import { splitTarget } from "../../http/routing.ts";
import type { LineWriter } from "./line_writer.ts";

/** Writes the line of an answered request that came at `startedAt`, a time of `performance.now()`. */
export type AccessLog = (client: string, method: string, target: string, status: number, startedAt: number) => void;

/** Makes an access log. */
export function createAccessLog(writer: LineWriter): AccessLog {
  return (client, method, target, status, startedAt) => {
    const duration = (performance.now() - startedAt).toFixed(1);
    writer.add(
      `${new Date().toISOString()} ${client} ${shorten(method)} ${loggedTarget(target)} ${status} ${duration}ms`,
    );
  };
}

/** Replaces a text that is not shown. */
const HIDDEN = "…";
/** The longest text that is shown. Every path segment of the service is shorter, and every useful key is longer. */
const MAX_SHOWN = 20;
/** How much of a path and of a query is read, because a client may send 64 KB to fill the log. */
const MAX_READ = 200;

/**
 * The path and query of a URL without control characters and without keys, which some clients put into a URL (RFC 6750
 * §2.3). Short path segments and known parameters are shown, everything else is hidden.
 */
export function loggedTarget(target: string): string {
  const { path, query } = splitTarget(target);
  const shown = wholeParts(path, "/").map(shorten).join("/");
  const line = query === "" ? shown : `${shown}?${loggedQuery(query)}`;
  return /^[!-~…]*$/.test(line) ? line : line.toWellFormed().replace(/[^!-~…]/gu, encodeURIComponent);
}

/** Hides a text that is long enough to be a key. A method can be one: HTTP lets a client invent it. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN ? HIDDEN : text;
}

/** Splits the beginning of a text. The last part is hidden if it is incomplete: it may be the start of a key. */
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
