/**
 * OpenTelemetry's API, as far as the server uses it. On Node an SDK registers it, on Deno the server itself. So it needs no
 * package for it.
 */

import { VERSION } from "../../version.ts";

type Attributes = Record<string, string | number>;

export interface Span {
  spanContext(): SpanIds;
  setAttribute(key: string, value: string | number): unknown;
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
export interface Traces {
  tracer: Tracer;
  /** The span of the request that is being handled. */
  activeSpan(): Span | undefined;
  /** Starts the span of a request, below that of the client if there is one. */
  startRequest(name: string, parent: RemoteSpan | undefined): Span;
  /** Runs `work`, and all that it starts, with this span as the active one. */
  withSpan<Result>(span: Span, work: () => Result): Result;
}

/** A span of the client. */
export type RemoteSpan = SpanIds & { traceFlags: number };

/** `undefined` if the API is not registered. */
export function findTraces(): Traces | undefined {
  const { trace, context } = findApi();
  if (!trace || !context) return undefined;
  const tracer = trace.getTracer("petstore", VERSION);
  const contextOf = (span: unknown) => context.active().setValue(ACTIVE_SPAN, span);
  return {
    tracer,
    activeSpan: () => context.active().getValue(ACTIVE_SPAN) as Span | undefined,
    startRequest: (name, parent) =>
      tracer.startSpan(name, { kind: KIND.server }, parent && contextOf({ spanContext: () => parent })),
    withSpan: (span, work) => context.with(contextOf(span), work),
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
