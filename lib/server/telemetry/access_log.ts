/** The access log: one line for each request, as text or as JSON. */

import { FAULT_FIELD } from "../../petstore/fault_options.ts";
import { bodyBytes, KeptReply, type Reply } from "../../http/reply.ts";
import type { RequestContext } from "../../http/context.ts";
import type { Observer } from "../../http/finisher.ts";
import { requestIdOf } from "../../http/request_id.ts";
import { quoteVisibly } from "../process/lines.ts";
import type { LineWriter } from "../process/writers.ts";
import { loggedMethod, loggedTarget } from "./logged_target.ts";

/** Writes one line of text for each request. */
export function createTextLog(writer: Pick<LineWriter, "add">): Observer {
  const describe = describeOnce(({ method, route, target }, status) =>
    ` ${loggedMethod(method)} ${loggedTarget(target, route)} ${status}`
  );
  const formatTime = createTimeFormatter();
  return (context, reply, startedAt, endedAt) => {
    if (isSuccessfulProbe(context, reply)) return;
    const duration = (endedAt - startedAt).toFixed(1);
    const code = reply.code === undefined ? "" : ` ${reply.code}`;
    const fault = context.fields?.[FAULT_FIELD];
    const faultNote = fault === undefined ? "" : ` fault on purpose: ${fault}`;
    const request = `${context.client ?? "-"}${describe(context, reply)}`;
    writer.add(`${formatTime(endedAt)} ${request}${code} ${duration}ms${faultNote}`);
  };
}

/** Matches the field `traceparent` (W3C Trace Context) of any version, and captures the id of the trace. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?![^-])/;

/** Writes a JSON object on a line for each request. The members that a request does not have are absent. */
export function createJsonLog(writer: Pick<LineWriter, "add">): Observer {
  const describe = describeOnce(({ method, target, route }, status) =>
    JSON.stringify({ method: loggedMethod(method), route, target: loggedTarget(target, route), status }).slice(1, -1)
  );
  const formatTime = createTimeFormatter();
  return (context, reply, startedAt, endedAt) => {
    if (isSuccessfulProbe(context, reply)) return;
    const { caller, client } = context;
    const { code } = reply;
    const bytes = bodyBytes(reply);
    const fault = context.fields?.[FAULT_FIELD];
    const traceParent = context.header("traceparent");
    const traceId = traceParent === null ? undefined : TRACE_PARENT.exec(traceParent)?.[1];
    // The code and the fault are words of this program, and the client is an address, so these need no escape sequences.
    writer.add(
      `{"time":"${formatTime(endedAt)}","requestId":${quote(requestIdOf(context))},` +
        describe(context, reply) +
        (code === undefined ? "" : `,"code":"${code}"`) +
        `,"durationMs":${(endedAt - startedAt).toFixed(1)}` +
        (bytes === undefined ? "" : `,"bytes":${bytes}`) +
        (caller === undefined ? "" : `,"caller":${quote(caller.id)}`) +
        (fault === undefined ? "" : `,"fault":"${fault}"`) +
        (traceId === undefined ? "" : `,"traceId":"${traceId}"`) +
        (client === undefined ? "}" : `,"client":"${client}"}`),
    );
  };
}

/**
 * Whether a request is a probe that has found the server well. It is not logged, because a health check would write thousands of lines a
 * day.
 */
function isSuccessfulProbe({ route }: RequestContext, { status }: Reply): boolean {
  return status < 400 && (route === "/livez" || route === "/readyz");
}

/**
 * Keeps the description of a kept reply with it. This is for speed: to format a target costs a third of a response. All requests that get
 * such a reply have the same method and target, since a reply to HEAD is a copy that is not kept. A server has one access log, so no other
 * log has left another text there.
 */
function describeOnce(describe: (context: RequestContext, status: number) => string) {
  return (context: RequestContext, reply: Reply): string =>
    reply instanceof KeptReply ? reply.logged ??= describe(context, reply.status) : describe(context, reply.status);
}

/**
 * Returns a function that formats the present time, which it is given as `performance.now()` tells it. For speed, it does so once a
 * millisecond: formatting costs a third of a response.
 */
function createTimeFormatter(): (now: number) => string {
  let time = "";
  let validUntil = 0;
  return (now) => {
    if (now >= validUntil) {
      time = new Date().toISOString();
      validUntil = now + 1;
    }
    return time;
  };
}

/** Quotes an id, with escape sequences for characters that cannot be seen. */
function quote(text: string): string {
  // The test is for speed: `quoteVisibly()` costs a tenth of a response.
  return /^[\w-]*$/.test(text) ? `"${text}"` : quoteVisibly(text);
}
