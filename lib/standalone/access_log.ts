/** One line a request. */

import { parseCursor } from "../http/cursor.ts";
import { splitUrl } from "../http/routing.ts";
import type { LineWriter } from "./line_writer.ts";

/** Notes a request that has been answered; it began at `startedAt` of `performance.now()`. */
export type AccessLog = (client: string, method: string, url: string, status: number, startedAt: number) => void;

/** Makes an access log. */
export function createAccessLog(writer: LineWriter): AccessLog {
  return (client, method, url, status, startedAt) => {
    const duration = (performance.now() - startedAt).toFixed(1);
    writer.add(`${new Date().toISOString()} ${client} ${shorten(method)} ${loggedTarget(url)} ${status} ${duration}ms`);
  };
}

/** What is written in place of what is not shown. */
const HIDDEN = "…";
/** No part of an address here is longer, and no key worth its name is shorter. */
const MAX_SHOWN = 20;

/**
 * Path and query as a log may show them: without what a terminal or a line reader would act on, and without keys, which
 * some clients send where they do not belong (RFC 6750 §2.3): only short parts of a path and known parameters are shown.
 */
export function loggedTarget(url: string): string {
  const { path, query } = splitUrl(url);
  const shown = path.split("/").map(shorten).join("/");
  const target = query === "" ? shown : `${shown}?${loggedQuery(query)}`;
  return /^[!-~…]*$/.test(target) ? target : target.toWellFormed().replace(/[^!-~…]/gu, encodeURIComponent);
}

/** A method as a log may show it: HTTP lets a client invent one. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN ? HIDDEN : text;
}

function loggedQuery(query: string): string {
  return query.split("&").map((parameter) => {
    const [name = "", value = ""] = parameter.split("=", 2);
    const isKnown = name === "cursor" ? parseCursor(value) !== undefined : name === "limit" || name === "status";
    return isKnown && (name === "cursor" || value.length <= MAX_SHOWN) ? parameter : HIDDEN;
  }).join("&");
}
