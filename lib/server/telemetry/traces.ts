/**
 * OpenTelemetry's API, as far as the server uses it. On Node an SDK registers it, on Deno the server itself. So it needs no
 * package for it.
 */

import { VERSION } from "../../version.ts";
import type { RequestContext } from "../../http/context.ts";
import { splitTarget } from "../../http/target.ts";
import type { DrainGate } from "../http/drain_gate.ts";
import { loggedTarget, METHODS } from "./logged_target.ts";

type Attributes = Record<string, string | number>;

export interface Span {
  spanContext(): SpanIds;
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message: string }): unknown;
  updateName(name: string): unknown;
  recordException(exception: Error | string): unknown;
  end(): void;
}

/** Identifies a span: 32 and 16 hexadecimal digits. */
export interface SpanIds {
  traceId: string;
  spanId: string;
}

/** A context of OpenTelemetry. It has the active span under a key. */
interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
}

interface Tracer {
  /** The span of the context is the parent, by default that of the active one. */
  startSpan(name: string, options?: { kind: number; attributes?: Attributes }, context?: Context): Span;
}

interface Provider {
  getTracer(name: string, version: string): Tracer;
  /** The provider behind a proxy, which the SDK for Node registers. */
  getDelegate?(): Provider;
  forceFlush?(): Promise<void>;
}

export interface Api {
  trace?: Provider;
  context?: {
    active(): Context;
    with<Result>(context: Context, work: () => Result): Result;
  };
}

/** These numbers are OpenTelemetry's. */
export const KIND = { internal: 0, server: 1, client: 2 } as const;
export const ERROR_STATUS_CODE = 2;

const API = Symbol.for("opentelemetry.js.api.1");
const ACTIVE_SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** Creates and finds the spans of this isolate. */
export type Traces = NonNullable<ReturnType<typeof findTraces>>;

/** A span of the client. */
export type RemoteSpan = SpanIds & { traceFlags: number };

/** `undefined` if the API is not registered. */
export function findTraces() {
  const { trace, context } = findApi();
  if (!trace || !context) return undefined;
  const tracer = trace.getTracer("petstore", VERSION);
  const contextOf = (span: unknown) => context.active().setValue(ACTIVE_SPAN, span);
  return {
    tracer,
    /** The span of the request that is being handled. */
    activeSpan: () => context.active().getValue(ACTIVE_SPAN) as Span | undefined,
    /** Starts the span of a request, below that of the client if there is one. */
    startRequest: (name: string, parent: RemoteSpan | undefined) =>
      tracer.startSpan(name, { kind: KIND.server }, parent && contextOf({ spanContext: () => parent })),
    /** Runs `work`, and all that it starts, with this span as the active one. */
    withSpan: <Result>(span: Span, work: () => Result) => context.with(contextOf(span), work),
  };
}

/** Sends the pending spans. Deno does so when it exits, and its provider cannot. */
export async function flushTraces(): Promise<void> {
  const { trace } = findApi();
  // The exporter handles failures of the receiver.
  await (trace?.getDelegate?.() ?? trace)?.forceFlush?.().catch(() => {});
}

/** Registers an API for {@link findTraces}. */
export function registerApi(api: Required<Api>): void {
  (globalThis as { [API]?: Api })[API] = api;
}

function findApi(): Api {
  return (globalThis as { [API]?: Api })[API] ?? {};
}

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
