import { readVariable } from "../process/process.ts";
import { SettingError } from "../process/start_error.ts";
import { findTraces, registerApi } from "../telemetry/traces.ts";

/**
 * Registers Deno's tracer, with which the server makes spans. Deno does so itself only if it also makes a span of each request,
 * which costs more than a response and has the whole URL, in which there may be a key.
 *
 * @param areWanted Whether the server makes spans.
 * @throws {SettingError} If Deno exports no spans, or makes its own.
 */
export function prepareTraces(areWanted: boolean): void {
  if (findTraces()) {
    throw new SettingError(
      "The spans of Deno have the whole URL of a request: set OTEL_DENO_TRACING=false, and --traces for those of the server",
    );
  }
  if (!areWanted) return;
  // A task passes on what it had itself. For this process it sets another value, without which there is no exporter.
  const ofTask = readVariable("CONSOLE_OF_TASK");
  if (ofTask !== undefined && ofTask !== "ignore") {
    throw new SettingError(
      "--traces in a task needs OTEL_DENO_CONSOLE=ignore: without it, the task itself has now sent all flags to the " +
        "receiver. If one was a key, revoke the key",
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
