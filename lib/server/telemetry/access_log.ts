/**
 * The access log: one line for each request, as text or as JSON. Some replies are kept and sent again and again ({@link KeptReply}). For
 * speed, the part of the line that is the same each time is kept with such a reply.
 */

import { FAULT_FIELD } from "../../petstore/fault_options.ts";
import { bodyBytes, KeptReply, type Reply } from "../../http/reply.ts";
import type { RequestContext } from "../../http/context.ts";
import type { Observer } from "../../http/finisher.ts";
import { requestIdOf } from "../../http/request_id.ts";
import { quoteVisibly } from "../process/lines.ts";
import type { LineWriter } from "../process/writers.ts";
import { loggedMethod, loggedTarget } from "./logged_target.ts";

/** Writes one line of text for each request, such as `2026-11-20T08:00:00.000Z 127.0.0.1 GET /v1/pets 200 0.4ms`. */
export function createTextLog(writer: Pick<LineWriter, "add">): Observer {
  const describe = describeOnce(({ method, route, target }, status) =>
    `${loggedMethod(method)} ${loggedTarget(target, route)} ${status}`
  );
  const timeTextAt = createTimeText();
  return (context, reply, startedAt, endedAt) => {
    if (isSuccessfulProbe(context, reply)) return;
    const time = timeTextAt(endedAt);
    const client = context.client ?? "-";
    const request = describe(context, reply);
    const code = reply.code === undefined ? "" : ` ${reply.code}`;
    const duration = (endedAt - startedAt).toFixed(1);
    const fault = context.fields?.[FAULT_FIELD];
    const faultNote = fault === undefined ? "" : ` fault on purpose: ${fault}`;
    writer.add(`${time} ${client} ${request}${code} ${duration}ms${faultNote}`);
  };
}

/**
 * Writes a JSON object on a line for each request. The members that a request does not have are absent. For speed, the text is put together
 * from its members, in place of an object that is formatted.
 */
export function createJsonLog(writer: Pick<LineWriter, "add">): Observer {
  const describe = describeOnce(({ method, target, route }, status) =>
    member("method", quote(loggedMethod(method))) +
    member("route", quote(route)) +
    member("target", quote(loggedTarget(target, route))) +
    member("status", status)
  );
  const timeTextAt = createTimeText();
  return (context, reply, startedAt, endedAt) => {
    if (isSuccessfulProbe(context, reply)) return;
    writer.add(
      `{"time":"${timeTextAt(endedAt)}"` +
        member("requestId", quote(requestIdOf(context))) +
        describe(context, reply) +
        member("code", quote(reply.code)) +
        member("durationMs", (endedAt - startedAt).toFixed(1)) +
        member("bytes", bodyBytes(reply)) +
        member("caller", quote(context.caller?.id)) +
        member("fault", quote(context.fields?.[FAULT_FIELD])) +
        member("traceId", quote(traceIdOf(context))) +
        member("client", quote(context.client)) +
        "}",
    );
  };
}

/** A member of a JSON object after the first one, or nothing if it has no value. */
function member(name: string, json: string | number | undefined): string {
  return json === undefined ? "" : `,"${name}":${json}`;
}

/** Quotes a text for JSON, with escape sequences for characters that cannot be seen. */
function quote(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  // The test is for speed: `quoteVisibly()` costs a tenth of a response.
  return /^[\w.:-]*$/.test(text) ? `"${text}"` : quoteVisibly(text);
}

/**
 * Matches the field `traceparent` (W3C Trace Context) and captures the id of the trace. The version `ff` and ids of zeros are invalid. A later
 * version may have further parts, each after a hyphen.
 */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

function traceIdOf(context: RequestContext): string | undefined {
  const field = context.header("traceparent");
  return field === null ? undefined : TRACE_PARENT.exec(field)?.[1];
}

/**
 * Whether a request is a probe that has found the server well. It is not logged, because a health check would write thousands of lines a
 * day.
 */
function isSuccessfulProbe({ route }: RequestContext, { status }: Reply): boolean {
  return status < 400 && (route === "/livez" || route === "/readyz");
}

/**
 * Returns a function that describes a request and the status of its response. The description of a kept reply is made once: to format a target
 * costs a third of a response. The requests that get the same kept reply all have the same method and target.
 */
function describeOnce(describe: (context: RequestContext, status: number) => string) {
  return (context: RequestContext, reply: Reply): string => {
    if (!(reply instanceof KeptReply)) return describe(context, reply.status);
    reply.logged ??= describe(context, reply.status);
    return reply.logged;
  };
}

/**
 * Returns a function that gives the present time as text. For speed, it formats the time once a millisecond at most, since that costs a third of
 * a response. Its parameter is the present time as of `performance.now()`, which only tells whether the last text is still right.
 */
function createTimeText(): (now: number) => string {
  let text = "";
  let validUntil = 0;
  return (now) => {
    if (now >= validUntil) {
      text = new Date().toISOString();
      validUntil = now + 1;
    }
    return text;
  };
}
