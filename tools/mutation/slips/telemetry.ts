import { type Slip, slipsOf } from "./slip.ts";

const TESTS = "server/telemetry server/attribution server/access_log server/metrics server/log";

export const TELEMETRY: Slip[] = slipsOf("server/telemetry", TESTS, [
  [
    "a line of the log has the target of its own request",
    "access_log.ts",
    "reply instanceof KeptReply ? reply.logged",
    "reply.status ? (reply as KeptReply).logged",
  ],
  [
    "a line of the log is at most a millisecond late",
    "access_log.ts",
    "validUntil = now + 1;",
    "validUntil = now + 1000;",
  ],
  [
    "durations in the log are in milliseconds",
    "access_log.ts",
    "const duration = (endedAt - startedAt).toFixed(1);",
    "const duration = ((endedAt - startedAt) / 1000).toFixed(1);",
  ],
  [
    "a line of JSON has the bytes of the body",
    "access_log.ts",
    "const bytes = bodyBytes(reply);",
    'const bytes = typeof reply.body === "string" ? reply.body.length : bodyBytes(reply);',
  ],
  [
    "a line of JSON names the span of its request",
    "access_log.ts",
    '`,"traceId":"${span.traceId}","spanId":"${span.spanId}"`',
    '`,"traceId":"${span.spanId}","spanId":"${span.traceId}"`',
  ],
  [
    "the log tells how often a failure has happened since it was told last",
    "failure_log.ts",
    "      entry.times = 0;\n",
    "",
  ],
  [
    "a repeated failure is told with its last request, not its first",
    "failure_log.ts",
    "        known.last = failure;\n",
    "",
  ],
  [
    "failures that were not told yet are told at the end",
    "failure_log.ts",
    "      clearTimeout(timer);\n      tell();\n",
    "      clearTimeout(timer);\n",
  ],
  [
    "the duration of a commit is counted in seconds",
    "metrics.ts",
    "this.#commitSeconds.add(milliseconds / 1000);",
    "this.#commitSeconds.add(milliseconds);",
  ],
  [
    "the duration of a request is counted in seconds",
    "metrics.ts",
    "counted.durations.add((endedAt - startedAt) / 1000);",
    "counted.durations.add(endedAt - startedAt);",
  ],
  [
    "statements that run and those that wait are told apart",
    "metrics.ts",
    'labels({ state: "running" })}`]: pool.running',
    'labels({ state: "running" })}`]: pool.waiting',
  ],
  [
    "callers are counted of deprecated operations only",
    "metrics.ts",
    'caller && isOperation && "deprecation" in headers',
    "caller && isOperation",
  ],
  [
    "the start of the process is in seconds",
    "metrics_server.ts",
    "performance.timeOrigin / 1000",
    "performance.timeOrigin",
  ],
  [
    "a value on the bound of a bucket belongs to it",
    "samples.ts",
    "value > bounds[i]!",
    "value >= bounds[i]!",
  ],
  [
    "a span is below that of the client",
    "traces.ts",
    "parent && contextOf({ spanContext: () => parent })",
    "undefined",
  ],
  [
    "only a failure of the server is an error of its span",
    "traces.ts",
    "if (status >= 500) span.setStatus",
    "if (status >= 400) span.setStatus",
  ],
  [
    "a client that has decided against a trace gets none",
    "traces.ts",
    "const isTraced = parent ? parent.traceFlags & SAMPLED : Math.random() < share;",
    "const isTraced = parent !== undefined || Math.random() < share;",
  ],
  [
    "a span of the store tells of a failure",
    "traced_store.ts",
    "        span.setStatus({ code: ERROR_STATUS_CODE, message: error.message });\n",
    "",
  ],
]);
