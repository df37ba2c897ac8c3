/** The lines of the log, one by one: which request each fact is of, and in which unit. attribution_test.ts has a whole server. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observer } from "../../lib/http/finisher.ts";
import type { Reply } from "../../lib/http/reply.ts";
import { createJsonLog, createTextLog } from "../../lib/server/telemetry/access_log.ts";
import { createContext } from "../support/context.ts";

/** The values of each fact of a request. Two requests that differ in one alone must not share a line. */
const FACTS = {
  method: ["GET", "HEAD", "POST"],
  status: [200, 404],
  code: [undefined, "pet_not_found", "route_not_found"],
  target: ["/v1/pets", "/v1/pets/7"],
  route: ["/v1/pets", "/v1/pets/{petId}", undefined],
  client: ["::1", "10.0.0.1"],
  id: ["shop", "bar"],
  body: ["[]", '["Zoë 咪咪"]', null],
  took: [0, 0.04, 0.06, 12.34, 99.96, 100.04, 1234.56],
};
/** The traces of the clients, by the ids of their requests: the first sends a valid `traceparent`, and the second one of zeros. */
const TRACES: Record<string, string | undefined> = { shop: "0af7651916cd43dd8448eb211c80319c", bar: undefined };

type Facts = { [Name in keyof typeof FACTS]: (typeof FACTS)[Name][number] };

/** The replies, which are one for all targets, as refusals are. */
const REPLIES = FACTS.status.flatMap((status) =>
  FACTS.body.flatMap((body) => FACTS.code.map((code): Reply => ({ status, headers: {}, body, ...code && { code } })))
);

const traceParentOf = (id: string) => `00-${TRACES[id] ?? "0".repeat(32)}-b7ad6b7169203331-01`;

function log(observe: Observer, { status, code, body, took, id, ...context }: Facts, startedAt = 1000): void {
  const request = Object.assign(createContext({ "x-request-id": id, traceparent: traceParentOf(id) }, context.method), {
    caller: { id },
  }, context);
  const reply = REPLIES.find((each) => each.status === status && each.code === code && each.body === body)!;
  observe(Object.assign(request, { targetKey: context.target }), reply, startedAt, 1000 + took);
}

const pathOf = (target: string, route = "{") => route.includes("{") ? target : route;

const shownBy = {
  text: ({ method, status, code, target, client, route, took }: Facts) => {
    const told = code === undefined ? status : `${status} ${code}`;
    return `${client} ${method} ${pathOf(target, route)} ${told} ${(Math.round(took * 10) / 10).toFixed(1)}ms`;
  },
  json: ({ id, method, route, target, status, code, took, body, client }: Facts) => {
    const bytes = new TextEncoder().encode(body ?? "").length;
    const shown = pathOf(target, route), durationMs = Math.round(took * 10) / 10;
    const line = { method, route, target: shown, status, code, durationMs, bytes, caller: id };
    return JSON.stringify({ requestId: id, ...line, traceId: TRACES[id], client });
  },
};

for (const [form, shown] of Object.entries(shownBy)) {
  test(`each line of the log as ${form} has the facts of its own request, also after another that differs in one`, () => {
    const lines: string[] = [], writer = { add: (line: string) => lines.push(line) };
    const observe = form === "text" ? createTextLog(writer) : createJsonLog(writer);
    const first = Object.fromEntries(Object.entries(FACTS).map(([name, [value]]) => [name, value])) as Facts;
    const all = Object.entries(FACTS).flatMap(([name, values]) =>
      values.flatMap((value) => [first, { ...first, [name]: value }, first]) as Facts[]
    );
    for (const facts of all) log(observe, facts);
    const without = lines.map((line) =>
      form === "text" ? line.slice(25) : line.replace(/"time":"[^"]+",/, "").replace(/(?<=durationMs":\d+)\.0\b/, "")
    );
    assert.deepEqual(without, all.map(shown));
  });
}
