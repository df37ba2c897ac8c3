/** The access log: one line for each request. */

import { parseCursor } from "../../service/operations.ts";
import { splitTarget } from "../../http/dispatch.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { LineWriter } from "./line_writer.ts";

/** Logs an answered request. `startedAt` is when it arrived, as in `performance.now()`. */
export type AccessLog = (client: string, exchange: LoggedExchange, status: number, startedAt: number) => void;

/** The parts of an exchange that a line shows. */
export type LoggedExchange = Pick<Exchange, "method" | "target" | "targetKey">;

/** How many targets are remembered, and up to which length of their key. A client may send any number of 64 KB each. */
const MAX_KNOWN = 1000, MAX_KEY = 300;

/** Durations below this many tenths of a millisecond are formatted once. */
const SHORT = 1000;
const DURATIONS = Array.from({ length: SHORT }, (_, tenths) => ` ${(tenths / 10).toFixed(1)}ms`);

/** What a line shows of a request, from the method to the status. */
interface Known {
  method: string;
  status: number;
  text: string;
}

/** Formats the time once a millisecond and a target once, because both would cost a third of an answer. */
export function createAccessLog(writer: LineWriter): AccessLog {
  const known = new Map<string, Known>();
  let time = "", timeHolds = 0;

  function describe(exchange: LoggedExchange, status: number): string {
    const { method, targetKey } = exchange;
    const last = known.get(targetKey);
    if (last && last.status === status && last.method === method) return last.text;
    const text = ` ${shorten(method)} ${loggedTarget(exchange.target)} ${status}`;
    // A hidden text may be a key, which must not stay in memory.
    if (targetKey.length > MAX_KEY || text.includes(HIDDEN)) return text;
    if (!last && known.size >= MAX_KNOWN) known.clear();
    known.set(targetKey, { method, status, text });
    return text;
  }

  return (client, exchange, status, startedAt) => {
    const endedAt = performance.now();
    if (endedAt >= timeHolds) {
      time = new Date().toISOString() + " ";
      timeHolds = endedAt + 1;
    }
    const tenths = Math.round((endedAt - startedAt) * 10);
    const duration = DURATIONS[tenths] ?? ` ${(tenths / 10).toFixed(1)}ms`;
    writer.add(time + client + describe(exchange, status) + duration);
  };
}

/** Stands for a hidden text. */
const HIDDEN = "…";
/** The longest text that is shown. Path segments of the service are shorter, and secure keys are longer. */
const MAX_SHOWN = 20;
/** How much of a path and of a query is read. Otherwise a client could fill the log with targets of 64 KB. */
const MAX_READ = 200;

/**
 * The path and query of a URL without control characters, and without keys, which some clients put into a URL (RFC 6750
 * §2.3). It shows short path segments and known parameters, and hides everything else.
 */
export function loggedTarget(target: string): string {
  const { path, query } = splitTarget(target);
  const shown = wholeParts(path, "/").map(shorten).join("/");
  const line = query === "" ? shown : `${shown}?${loggedQuery(query)}`;
  return /^[!-~…]*$/.test(line) ? line : line.toWellFormed().replace(/[^!-~…]/gu, encodeURIComponent);
}

/** Hides a text that is long enough to be a key, even as a method, because HTTP allows any method name. */
export function shorten(text: string): string {
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
