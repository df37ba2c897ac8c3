/** What an operator reads: each line, count and request id belongs to its own request, and has its own unit. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observer } from "../../lib/http/finisher.ts";
import { createServerPipeline } from "../../lib/server/serving/server_pipeline.ts";
import { createAccessLog } from "../../lib/server/telemetry/access_log.ts";
import { Metrics } from "../../lib/server/telemetry/metrics.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createMemoryStore } from "../../mod.ts";
import { createContext } from "../support/context.ts";
import { startWithoutSocket } from "../support/server/in_process.ts";

const ONE = "/v1/pets/{petId}";

/**
 * What is asked in this order, by whom, and the status, the route and the error code of the
 * response. A refused caller has no route.
 */
const TABLE = `
GET   /v1/pets?limit=7  reader  200  /v1/pets
HEAD  /v1/pets?limit=7  admin   200  /v1/pets
GET   /v1/pets?limit=7  reader  200  /v1/pets
POST  /v1/pets          admin   201  /v1/pets
POST  /v1/pets          reader  403  /v1/pets          insufficient_scope
POST  /v1/pets          -       401  -                 invalid_api_key
GET   /v1/pets/1        admin   200  /v1/pets/{petId}
GET   /v1/pets/1        reader  200  /v1/pets/{petId}
GET   /v1/pets/1        admin   200  /v1/pets/{petId}
PUT   /v1/pets/1        admin   405  /v1/pets/{petId}  method_not_allowed
GET   /v1/pets/7        reader  404  /v1/pets/{petId}  pet_not_found
GET   /readyz           -       200  /readyz
`;

const REQUESTS = TABLE.trim().split("\n").map((line) => {
  const [method = "", target = "", who = "", status, route = "", code = ""] = line.split(/ +/).map((cell) =>
    cell === "-" ? "" : cell
  );
  return { method, target, who, status: Number(status), route, code };
});

const KEYS = [{ key: "pk_admin", caller: "admin" }, { key: "pk_reader", caller: "reader", readOnly: true }];
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PET = Promise.resolve(new TextEncoder().encode('{"name":"Zoë 咪咪","categoryId":7}'));

/** Sends the requests to a service with this observer. Returns the id and the length of each response. */
async function sendAll(observe: Observer) {
  const options = { keys: KEYS, store: createMemoryStore(), requestIds: "all" } as const;
  const { respond } = createServerPipeline(options, { hasDocs: false, observe });
  const sent = [];
  for (const { method, target, who, status } of REQUESTS) {
    const headers = {
      authorization: `Bearer pk_${who}`,
      "content-type": "application/json",
      traceparent: who === "admin" ? `00-${TRACE}-b7ad6b7169203331-01` : null,
    };
    const context = { ...createContext(headers, method, target), client: "192.0.2.7", readBody: () => PET };
    const reply = await respond(context, (reply) => reply);
    assert.equal(reply.status, status, `${method} ${target}`);
    const bytes = new TextEncoder().encode(String(reply.body ?? "")).length;
    sent.push({ requestId: reply.headers["x-request-id"]!, bytes });
  }
  return sent;
}

test("each request has a line of JSON with its own facts, but for a probe that finds the server well", async () => {
  const lines: Record<string, unknown>[] = [];
  const sent = await sendAll(createAccessLog({ add: (line) => lines.push(JSON.parse(line)) }, true));
  const expected = REQUESTS.map(({ method, target, who, status, route, code }, i) => ({
    ...sent[i],
    method,
    ...(route && { route }),
    target,
    status,
    ...(code && { code }),
    ...(who && { caller: who }),
    ...(who === "admin" && { traceId: TRACE }),
    client: "192.0.2.7",
  }));
  assert.deepEqual(
    lines.map(({ time, durationMs, ...facts }) => {
      assert.ok(Math.abs(Date.now() - Date.parse(String(time))) < 10_000, String(time));
      assert.equal(typeof durationMs, "number");
      return facts;
    }),
    expected.filter(({ route }) => route !== "/readyz"),
  );
});

test("each request is counted by its method, status, route and error code, and calls of the deprecated operation by caller", async () => {
  const metrics = new Metrics();
  const expected = new Map<string, number>();
  await sendAll(metrics.observe);
  const count = (sample: string) => expected.set(sample, (expected.get(sample) ?? 0) + 1);
  for (const { method, who, status, route, code } of REQUESTS) {
    count(`petstore_requests_total{method="${method}",status="${status}",route="${route}"}`);
    count(`petstore_request_duration_seconds_count{route="${route}"}`);
    if (code) count(`petstore_errors_total{code="${code}"}`);
    if (route === ONE && method === "GET") {
      count(`petstore_deprecated_requests_total{caller="${who}",route="${ONE}"}`);
    }
  }
  const counted = metrics.format().match(/^petstore_(\w*requests_total|errors_total|request_\w+_count).*$/gm);
  assert.deepEqual(counted?.sort(), Array.from(expected, (sample) => sample.join(" ")).sort());
});

test("a failure is logged with its cause and the id of its request, and counts as the store's only if it is one", async () => {
  const written = { stdout: "", stderr: "" };
  const failures = [new StoreUnavailableError("the disk is full"), new Error("a bug"), new Error("a bug")];
  const waiting = [...failures];
  const store = Object.assign(createMemoryStore(), { get: () => Promise.reject(waiting.shift()) });
  const args = ["--log=json", "--metrics=127.0.0.1:1", "--key=k"];
  const { gate, metricsGate, end } = await startWithoutSocket(args, store, { written });
  const statuses = [];
  for (const _ of failures) {
    const context = createContext({ authorization: "Bearer k" }, "GET", "/v1/pets/7");
    statuses.push(await gate.respond(context, ({ status }) => status));
  }
  assert.deepEqual(statuses, [503, 500, 500]);
  const scrape = createContext({}, "GET", "/metrics");
  assert.match(await metricsGate.respond(scrape, ({ body }) => String(body)), /^petstore_store_errors_total 1$/m);
  // The second failure of a kind is told at the end.
  await end();
  const [greeting, ...requests] = written.stdout.trimEnd().split("\n");
  assert.match(greeting!, /"message":"listens"/);
  assert.equal(requests.pop(), "stopped");
  const told = written.stderr.trimEnd().split("\n");
  const idOf = (line: string) => JSON.parse(line).requestId;
  assert.deepEqual(told.map(idOf), requests.map(idOf));
  assert.match(told[0]!, /"error":"the disk is full"/);
  assert.match(told[1]!, /"error":"Error: a bug\\n +at /);
});
