import { SettingError } from "../start_error.ts";
import { findTraces, registerApi, type Span, STATUS_CODE } from "../traces/api.ts";

/** The attributes that the server sets itself. */
const OWN_ATTRIBUTES = new Set(["http.request.method", "url.full", "url.path", "url.query"]);

let isCorrected = false;

/**
 * Deno describes the span of a request before the server sees the request: with the whole URL, in which there may be a key, and with
 * any method. The server could not replace this, because Deno 2.9 sends two values of one attribute. So it is left out here. Deno
 * also sets the status as text, although the conventions require a number.
 */
export function correctSpans(): void {
  const traces = isCorrected ? undefined : findTraces();
  if (!traces) return;
  isCorrected = true;
  // It is never sent, because it never ends.
  const prototype: Span = Object.getPrototypeOf(traces.tracer.startSpan("prototype"));
  const { setAttribute } = prototype;
  prototype.setAttribute = function (this: Span, key, value) {
    if (OWN_ATTRIBUTES.has(key)) return this;
    return setAttribute.call(this, key, key === STATUS_CODE ? Number(value) : value);
  };
}

/**
 * Registers Deno's tracer. Deno does so itself only if it also starts a span for each request, which costs more than a response.
 *
 * @throws {SettingError} If Deno exports no spans, or does so itself.
 */
export function provideTraces(): void {
  if (findTraces()) {
    throw new SettingError(
      "With --traces the server makes the spans of requests, so set OTEL_DENO_TRACING=false as well",
    );
  }
  const { tracerProvider: trace, contextManager: context } = Deno.telemetry;
  try {
    // Fails if there is no exporter.
    trace.getTracer("petstore").startSpan("attempt");
  } catch {
    throw new SettingError(
      "--traces needs OTEL_DENO=true and OTEL_DENO_TRACING=false in the environment, and not OTEL_DENO_CONSOLE=ignore",
    );
  }
  registerApi({ trace, context });
}
