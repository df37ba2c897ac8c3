/** One line a request. */

import { parseCursor } from "../../service/cursor.ts";
import { splitTarget } from "../../http/routing.ts";
import type { LineWriter } from "./line_writer.ts";

/** Notes a request that has been answered; it began at `startedAt` of `performance.now()`. */
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

/** What is written in place of what is not shown. */
const HIDDEN = "…";
/** No part of an address here is longer, and no key worth its name is shorter. */
const MAX_SHOWN = 20;
/** So much of a path, and of a query, is looked at: a client may send 64 KB, and a log must not grow by as much. */
const MAX_LOOKED_AT = 200;

/**
 * Path and query as a log may show them: without what a terminal or a line reader would act on, and without keys, which
 * some clients send where they do not belong (RFC 6750 §2.3): only short parts of a path and known parameters are shown.
 */
export function loggedTarget(target: string): string {
  const { path, query } = splitTarget(target);
  const shown = wholeParts(path, "/").map(shorten).join("/");
  const line = query === "" ? shown : `${shown}?${loggedQuery(query)}`;
  return /^[!-~…]*$/.test(line) ? line : line.toWellFormed().replace(/[^!-~…]/gu, encodeURIComponent);
}

/** A method as a log may show it: HTTP lets a client invent one. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN ? HIDDEN : text;
}

/** The first parts of a text, each whole: of what is hidden for its length, no beginning may be shown. */
function wholeParts(text: string, separator: string): string[] {
  if (text.length <= MAX_LOOKED_AT) return text.split(separator);
  return [...text.slice(0, MAX_LOOKED_AT).split(separator).slice(0, -1), HIDDEN];
}

function loggedQuery(query: string): string {
  return wholeParts(query, "&").map((parameter) => {
    const [name = ""] = parameter.split("=", 1);
    const value = parameter.slice(name.length + 1);
    const isKnown = name === "cursor" ? parseCursor(value) !== undefined : name === "limit" || name === "status";
    return isKnown && (name === "cursor" || value.length <= MAX_SHOWN) ? parameter : HIDDEN;
  }).join("&");
}
