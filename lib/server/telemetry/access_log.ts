/** The access log: one line for each request, as text or as JSON. */

import { bodyBytes } from "../../http/reply.ts";
import type { RequestContext } from "../../http/context.ts";
import type { Observer } from "../../http/finisher.ts";
import { requestIdOf } from "../../http/request_id.ts";
import type { Span } from "./traces.ts";
import type { LineWriter } from "../process/writers.ts";
import { HIDDEN, loggedMethod, loggedTarget } from "./logged_target.ts";

/** How many targets are cached, and the longest key of one. A client may send any number of 64 KB each. */
const MAX_CACHED = 1000, MAX_KEY = 300;

/** The formatted part of a line, from the method to the status, and the values that it was made from. */
interface CacheEntry {
  method: string;
  route: string | undefined;
  status: number;
  text: string;
}

/** One line of text for each request. */
export function createTextLog(writer: Pick<LineWriter, "add">): Observer {
  const describe = cacheTargets(({ method, route, target }, status) =>
    ` ${loggedMethod(method)} ${loggedTarget(target, route)} ${status}`
  );
  const now = createClock();
  return (context, { status }, startedAt, endedAt) => {
    const duration = (endedAt - startedAt).toFixed(1);
    writer.add(`${now(endedAt)} ${context.client ?? "-"}${describe(context, status)} ${duration}ms`);
  };
}

/**
 * One JSON object on each line. The members that a request does not have are absent.
 *
 * @param activeSpan Finds the span of the present request. Absent if there are no traces.
 */
export function createJsonLog(writer: Pick<LineWriter, "add">, activeSpan?: () => Span | undefined): Observer {
  const describe = cacheTargets(({ method, target, route }, status) =>
    JSON.stringify({ method: loggedMethod(method), route, target: loggedTarget(target, route), status }).slice(1, -1)
  );
  const now = createClock();
  return (context, reply, startedAt, endedAt) => {
    const { caller, client } = context;
    const bytes = bodyBytes(reply);
    const span = activeSpan?.()?.spanContext();
    writer.add(
      `{"time":"${now(endedAt)}","requestId":${quote(requestIdOf(context))},` +
        describe(context, reply.status) +
        `,"durationMs":${(endedAt - startedAt).toFixed(1)}` +
        (bytes === undefined ? "" : `,"bytes":${bytes}`) +
        (caller === undefined ? "" : `,"caller":${quote(caller.id)}`) +
        (span === undefined ? "" : `,"traceId":"${span.traceId}","spanId":"${span.spanId}"`) +
        (client === undefined ? "}" : `,"client":"${client}"}`),
    );
  };
}

/** Caches formatted targets, because formatting one costs a third of a response. */
function cacheTargets(
  describe: (context: RequestContext, status: number) => string,
): (context: RequestContext, status: number) => string {
  const cache = new Map<string, CacheEntry>();
  return (context, status) => {
    const { method, route, targetKey } = context;
    const last = cache.get(targetKey);
    if (last && last.status === status && last.method === method && last.route === route) return last.text;
    const text = describe(context, status);
    // A hidden text may be a key, which must not stay in memory.
    if (targetKey.length > MAX_KEY || text.includes(HIDDEN)) return text;
    if (!last && cache.size >= MAX_CACHED) cache.clear();
    cache.set(targetKey, { method, route, status, text });
    return text;
  };
}

/** Formats the time once a millisecond, because formatting it costs a third of a response. */
function createClock(): (now: number) => string {
  let time = "", validUntil = 0;
  return (now) => {
    if (now >= validUntil) {
      time = new Date().toISOString();
      validUntil = now + 1;
    }
    return time;
  };
}

/** Quotes an id. Also escapes control characters, and those that some readers treat as line ends. */
function quote(text: string): string {
  // The rest would cost a tenth of a response.
  if (/^[\w-]*$/.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
