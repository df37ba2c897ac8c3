/**
 * The access log: one line for each request, as text or as JSON. Some replies are kept and sent
 * again and again ({@link KeptReply}). The requests that get the same kept reply have the same
 * method and target, so the log formats this part of their lines once. To format a target costs a
 * third of a response.
 */

import { bodyBytes, KeptReply, type Reply } from "../../http/reply.ts";
import type { RequestContext } from "../../http/context.ts";
import type { Observer } from "../../http/finisher.ts";
import { requestIdOf } from "../../http/request_id.ts";
import { quoteVisibly } from "../process/messages.ts";
import type { LineWriter } from "../process/writers.ts";
import { loggedMethod, loggedTarget } from "./logged_target.ts";

export function createAccessLog(writer: Pick<LineWriter, "add">, isJson: boolean): Observer {
  const formatRequest = isJson ? requestAsJson : requestAsText;
  const formatLine = isJson ? formatJson : formatText;
  /** The formatted requests of kept replies. */
  const keptRequests = new WeakMap<KeptReply, string>();
  /**
   * The time of the last line as text. To format it costs a third of a response, so that is done
   * once a millisecond at most.
   */
  let time = "";
  /** When `time` is out of date, as in `performance.now()`. */
  let timeEndsAt = 0;
  return (context, reply, startedAt, endedAt) => {
    if (isSuccessfulProbe(context, reply)) return;
    if (endedAt >= timeEndsAt) {
      time = new Date().toISOString();
      timeEndsAt = endedAt + 1;
    }
    writer.add(formatLine(time, requestOf(context, reply), context, reply, endedAt - startedAt));
  };

  /** The method, the target and the status of a request. */
  function requestOf(context: RequestContext, reply: Reply): string {
    if (!(reply instanceof KeptReply)) return formatRequest(context, reply.status);
    const known = keptRequests.get(reply);
    if (known !== undefined) return known;
    const request = formatRequest(context, reply.status);
    keptRequests.set(reply, request);
    return request;
  }
}

/**
 * Whether a request is a probe that has found the server well. It is not logged, because a health
 * check would write thousands of lines a day.
 */
function isSuccessfulProbe({ route }: RequestContext, { status }: Reply): boolean {
  return status < 400 && (route === "/livez" || route === "/readyz");
}

/** A line of text, such as `2026-11-20T08:00:00.000Z 127.0.0.1 GET /v1/pets 200 0.4ms`. */
function formatText(time: string, request: string, context: RequestContext, reply: Reply, durationMs: number): string {
  const { client = "-", fault } = context;
  const code = reply.code === undefined ? "" : ` ${reply.code}`;
  const faultNote = fault === undefined ? "" : ` fault on purpose: ${fault}`;
  return `${time} ${client} ${request}${code} ${durationMs.toFixed(1)}ms${faultNote}`;
}

function requestAsText({ method, route, target }: RequestContext, status: number): string {
  return `${loggedMethod(method)} ${loggedTarget(target, route)} ${status}`;
}

/**
 * A line with a JSON object. The members that a request does not have are absent. For speed, the
 * text is put together by hand.
 */
function formatJson(time: string, request: string, context: RequestContext, reply: Reply, durationMs: number): string {
  return `{"time":"${time}"` +
    member("requestId", requestIdOf(context)) +
    request +
    member("code", reply.code) +
    `,"durationMs":${durationMs.toFixed(1)}` +
    member("bytes", bodyBytes(reply)) +
    member("caller", context.caller?.id) +
    member("fault", context.fault) +
    member("traceId", traceIdOf(context)) +
    member("client", context.client) +
    "}";
}

function requestAsJson({ method, route, target }: RequestContext, status: number): string {
  return member("method", loggedMethod(method)) +
    member("route", route) +
    member("target", loggedTarget(target, route)) +
    member("status", status);
}

/**
 * A member of a JSON object after the first one, or nothing if it has no value. Characters of a
 * text that cannot be seen become escape sequences.
 */
function member(name: string, value: string | number | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "number") return `,"${name}":${value}`;
  // The test is for speed: `quoteVisibly()` costs a tenth of a response.
  return `,"${name}":${/^[\w.:-]*$/.test(value) ? `"${value}"` : quoteVisibly(value)}`;
}

/**
 * Matches the field `traceparent` (W3C Trace Context) and captures the id of the trace. The version
 * `ff` and ids of zeros are invalid. A later version may have further parts, each after a hyphen.
 */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

function traceIdOf(context: RequestContext): string | undefined {
  const field = context.header("traceparent");
  return field === null ? undefined : TRACE_PARENT.exec(field)?.[1];
}
