/** The lines of the log and the spans, one by one: which request each fact is of, and in which unit. attribution_test.ts has a whole server. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observer } from "../../lib/http/finisher.ts";
import type { Reply } from "../../lib/http/reply.ts";
import { createJsonLog, createTextLog } from "../../lib/server/telemetry/access_log.ts";
import { traceStore } from "../../lib/server/telemetry/traced_store.ts";
import { findTraces, KIND, registerApi, type Span, traceRequests } from "../../lib/server/telemetry/traces.ts";
import { type PetStore, StoreUnavailableError } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";

/** The values of each fact of a request. Two requests that differ in one alone must not share a line. */
const FACTS = {
  method: ["GET", "HEAD", "POST"],
  status: [200, 404],
  target: ["/v1/pets", "/v1/pets/7"],
  route: ["/v1/pets", "/v1/pets/{petId}", undefined],
  client: ["::1", "10.0.0.1"],
  id: ["shop", "bar"],
  body: ["[]", '["Zoë 咪咪"]', null],
  took: [0, 0.04, 0.06, 12.34, 99.96, 100.04, 1234.56],
};
type Facts = { [Name in keyof typeof FACTS]: (typeof FACTS)[Name][number] };

/** Like refusals, which are one for all targets. */
const REPLIES = FACTS.status.flatMap((status) => FACTS.body.map((body): Reply => ({ status, headers: {}, body })));

function log(observe: Observer, { status, body, took, id, ...context }: Facts, startedAt = 1000): void {
  const request = Object.assign(createContext({ "x-request-id": id }, context.method), { caller: { id } }, context);
  const reply = REPLIES.find((each) => each.status === status && each.body === body)!;
  observe(Object.assign(request, { targetKey: context.target }), reply, startedAt, 1000 + took);
}

const pathOf = (target: string, route = "{") => route.includes("{") ? target : route;

const shownBy = {
  text: ({ method, status, target, client, route, took }: Facts) => {
    return `${client} ${method} ${pathOf(target, route)} ${status} ${(Math.round(took * 10) / 10).toFixed(1)}ms`;
  },
  json: ({ id, method, route, target, status, took, body, client }: Facts) => {
    const bytes = new TextEncoder().encode(body ?? "").length;
    const shown = pathOf(target, route), durationMs = Math.round(took * 10) / 10;
    const line = { method, route, target: shown, status, durationMs, bytes, caller: id };
    return JSON.stringify({ requestId: id, ...line, traceId: `trace of ${id}`, spanId: `span of ${id}`, client });
  },
};

for (const [form, shown] of Object.entries(shownBy)) {
  test(`each line of the log as ${form} has the facts of its own request, also after another that differs in one`, () => {
    const lines: string[] = [], writer = { add: (line: string) => lines.push(line) };
    let id = "";
    const span = { spanContext: () => ({ traceId: `trace of ${id}`, spanId: `span of ${id}` }) } as Span;
    const observe = form === "text" ? createTextLog(writer) : createJsonLog(writer, () => span);
    const first = Object.fromEntries(Object.entries(FACTS).map(([name, [value]]) => [name, value])) as Facts;
    const all = Object.entries(FACTS).flatMap(([name, values]) =>
      values.flatMap((value) => [first, { ...first, [name]: value }, first]) as Facts[]
    );
    for (const facts of all) {
      id = facts.id;
      log(observe, facts);
    }
    const without = lines.map((line) =>
      form === "text" ? line.slice(25) : line.replace(/"time":"[^"]+",/, "").replace(/(?<=durationMs":\d+)\.0\b/, "")
    );
    assert.deepEqual(without, all.map(shown));
  });
}

interface SeenSpan {
  name: string;
  kind: number | undefined;
  parent: unknown;
  attributes: Record<string, unknown>;
  failure?: unknown;
  recorded?: unknown[];
  ends: number;
}

/** OpenTelemetry's API with a provider that keeps what it is told. */
function keepSpans(): SeenSpan[] {
  const spans: SeenSpan[] = [];
  type Context = { getValue(key: symbol): unknown; setValue(key: symbol, value: unknown): Context };
  const contextOf = (values: ReadonlyMap<symbol, unknown>): Context => ({
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextOf(new Map([...values, [key, value]])),
  });
  let active = contextOf(new Map());
  const parentIn = (context: Context) =>
    (context.getValue(Symbol.for("OpenTelemetry Context Key SPAN")) as Span | undefined)?.spanContext();
  const tracer = {
    startSpan(name: string, options: { kind: number; attributes?: object } | undefined, context = active): Span {
      const seen: SeenSpan = { name, kind: options?.kind, parent: parentIn(context), attributes: {}, ends: 0 };
      Object.assign(seen.attributes, options?.attributes);
      const ids = { traceId: "trace", spanId: `span ${spans.push(seen)}` };
      return {
        spanContext: () => ids,
        setAttributes: (attributes) => Object.assign(seen.attributes, attributes),
        setStatus: (status) => seen.failure = status,
        updateName: (name) => seen.name = name,
        recordException: (error) => (seen.recorded ??= []).push(error),
        end: () => seen.ends++,
      };
    },
  };
  const withContext = <T>(context: Context, work: () => T): T => {
    const before = active;
    active = context;
    try {
      return work();
    } finally {
      active = before;
    }
  };
  registerApi({ trace: { getTracer: () => tracer }, context: { active: () => active, with: withContext } });
  return spans;
}

const TRACE = "0af7651916cd43dd8448eb211c80319c", PARENT = "b7ad6b7169203331";

/** The flags of a client, or what it sends in their place; the share of the setting, the status, and whether there is a span. */
const TRACED: [flags: string | null, share: number, status: number, isTraced: boolean][] = [
  ["01", 1e-9, 200, true],
  ["00", 1, 200, false],
  ["03", 1, 503, true],
  ["nonsense", 1, 499, true],
  [null, 1, 404, true],
  [null, 1, 500, true],
];

test("a span has the parent that the client named, the status of its response, and is an error only of the server", () => {
  for (const [flags, share, status, isTraced] of TRACED) {
    const spans = keepSpans();
    const reply = { status, headers: {}, body: null }, fail = () => assert.fail();
    const gate: Parameters<typeof traceRequests>[0] = {
      respond: (context, info, send) => send(reply, Object.assign(context, { route: "/v1/pets" }), { fail }, info),
    };
    const context = createContext({ traceparent: flags && `00-${TRACE}-${PARENT}-${flags}` });
    assert.equal(
      traceRequests(gate, findTraces()!, share).respond(context, 7, (...[sent, , , info]) => sent === reply && info),
      7,
    );
    const parent = Number(flags) > 0 ? { traceId: TRACE, spanId: PARENT, traceFlags: Number(flags) } : undefined;
    const attributes: Record<string, unknown> = {
      ...{ "http.request.method": "GET", "http.response.status_code": status },
      ...{ "url.scheme": "http", "url.path": "/v1/pets", "http.route": "/v1/pets" },
    };
    const span: SeenSpan = { name: "GET /v1/pets", kind: KIND.server, parent, attributes, ends: 1 };
    if (status >= 500) {
      attributes["error.type"] = String(status);
      span.failure = { code: 2, message: "" };
    }
    assert.deepEqual(spans, isTraced ? [span] : [], `${flags} ${status}`);
  }
});

test("a span of the store is below that of the request, ends once, and tells of a failure alone", async () => {
  const spans = keepSpans();
  const traces = findTraces()!;
  const failure = new StoreUnavailableError("away");
  const results = [() => "now", () => Promise.resolve("later"), () => Promise.reject(failure), () => {
    throw failure;
  }];
  for (const get of results) {
    const store = traceStore({ get } as unknown as PetStore, "postgres://host/pets", traces);
    const call = async () => await store.get(1n);
    const result = await Promise.resolve().then(get).catch(() => "failed");
    assert.equal(await call().catch(() => "failed"), result);
    const request = traces.startRequest("HTTP", undefined);
    assert.equal(await traces.withSpan(request, call).catch(() => "failed"), result);
    const attributes: Record<string, unknown> = {
      ...{ "db.system.name": "postgresql", "db.operation.name": "get", "db.collection.name": "pets" },
    };
    const span: SeenSpan = { name: "get pets", kind: KIND.client, parent: request.spanContext(), attributes, ends: 1 };
    if (results.indexOf(get) > 1) {
      attributes["error.type"] = "StoreUnavailableError";
      span.failure = { code: 2, message: "away" };
      span.recorded = [failure];
    }
    assert.deepEqual(spans.at(-1), span);
  }
  // Without a span of the request, there is none of the store.
  assert.equal(spans.length, 2 * results.length);
});
