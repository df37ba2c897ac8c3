/** Starts and ends the spans of some requests, where the runtime does not do it. */

import type { RequestContext } from "../../http/context.ts";
import type { DrainGate } from "../drain_gate.ts";
import { ERROR_STATUS_CODE, type RemoteSpan, type Span, STATUS_CODE, type Traces } from "./api.ts";
import { describeSpan } from "./request_spans.ts";

/** The first parts of the field `traceparent` (W3C Trace Context), of any version. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?![^-])/;
const SAMPLED = 1;

/**
 * Traces this share of the requests. If the client has decided whether a request is traced, the server does the same.
 */
export function startSpans(
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
        describeSpan(span, context);
        endSpan(span, reply.status);
        return send(reply, context, pipeline, info);
      };
      return traces.withSpan(span, () => gate.respond(context, info, endAndSend));
    },
  };
}

function endSpan(span: Span, status: number): void {
  span.setAttributes({ "url.scheme": "http", [STATUS_CODE]: status });
  if (status >= 500) {
    span.setAttribute("error.type", String(status));
    span.setStatus({ code: ERROR_STATUS_CODE, message: "" });
  }
  span.end();
}

function parentOf(context: RequestContext): RemoteSpan | undefined {
  const field = context.header("traceparent");
  const [, traceId, spanId, flags = ""] = field === null ? [] : TRACE_PARENT.exec(field) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
