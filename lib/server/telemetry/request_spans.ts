/** The spans of requests (semantic conventions for HTTP). */

import type { RequestContext } from "../../http/context.ts";
import { splitTarget } from "../../http/target.ts";
import type { DrainGate } from "../http/drain_gate.ts";
import { loggedTarget, METHODS } from "./logged_target.ts";
import { ERROR_STATUS_CODE, type RemoteSpan, type Span, type Traces } from "./traces.ts";

/** The first parts of the field `traceparent` (W3C Trace Context), of any version. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?![^-])/;
const SAMPLED = 1;

/**
 * Traces this share of the requests. If the client has decided whether a request is traced, the server does the same.
 */
export function traceRequests(
  gate: Pick<DrainGate, "respond">,
  traces: Traces,
  share: number,
): Pick<DrainGate, "respond"> {
  return {
    respond(context, info, send) {
      const parent = parentOf(context);
      const isTraced = parent ? parent.traceFlags & SAMPLED : Math.random() < share;
      if (!isTraced) return gate.respond(context, info, send);
      const span = traces.startRequest("HTTP", parent);
      // Not an observer, which would cost the other requests more than a read of their header.
      const endAndSend: typeof send = (reply, context, pipeline, info) => {
        endSpan(span, context, reply.status);
        return send(reply, context, pipeline, info);
      };
      return traces.withSpan(span, () => gate.respond(context, info, endAndSend));
    },
  };
}

function parentOf(context: RequestContext): RemoteSpan | undefined {
  const field = context.header("traceparent");
  const [, traceId, spanId, flags = ""] = field === null ? [] : TRACE_PARENT.exec(field) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

function endSpan(span: Span, { method, route, target }: RequestContext, status: number): void {
  // With others, a client could choose the names of spans.
  const isKnown = METHODS.has(method);
  const name = isKnown ? method : "HTTP";
  span.updateName(route === undefined ? name : `${name} ${route}`);
  const { path, query } = splitTarget(loggedTarget(target, route));
  span.setAttributes({
    "http.request.method": isKnown ? method : "_OTHER",
    "http.response.status_code": status,
    "url.scheme": "http",
    "url.path": path,
    ...(route !== undefined && { "http.route": route }),
    ...(query !== "" && { "url.query": query }),
    ...(status >= 500 && { "error.type": String(status) }),
  });
  if (status >= 500) span.setStatus({ code: ERROR_STATUS_CODE, message: "" });
  span.end();
}
