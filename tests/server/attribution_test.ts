/** What an operator reads: each line, count, request id and last use belongs to its own request, and has its own unit. */

import assert from "node:assert/strict";
import { createKeyManager } from "../../lib/access/create_key_manager.ts";
import type { DrainGate } from "../../lib/server/service/drain_gate.ts";
import type { Server } from "../../lib/server/serving/start.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/create_sqlite_store.ts";
import { type KeyedPetStore, StoreUnavailableError } from "../../lib/stores/store.ts";
import { withClock } from "../../packages/conformance/lib/clock.ts";
import { createMemoryStore } from "../../mod.ts";
import { createContext } from "../support/context.ts";
import { test, withServerHere } from "../support/server/in_process.ts";
import { samplesOf } from "../support/server/metrics.ts";
import { request } from "../support/server/server_process.ts";
import { startWithoutSocket } from "../support/server/without_socket.ts";
import { freePort } from "../support/system/free_port.ts";

const HOUR = 3_600_000;
const ONE = "/v1/pets/{petId}", LIST = "/v1/pets";

/** What is asked in this order, by whom, and the status and the route of the response. A caller that is refused has none. */
const REQUESTS: [method: string, target: string, who: string, status: number, route?: string][] = [
  ["GET", "/v1/pets?limit=7", "reader", 200, LIST],
  ["HEAD", "/v1/pets?limit=7", "admin", 200, LIST],
  ["GET", "/v1/pets?limit=7", "reader", 200, LIST],
  ["POST", LIST, "admin", 201, LIST],
  ["POST", LIST, "reader", 403, LIST],
  ["GET", LIST, "admin", 200, LIST],
  ["POST", LIST, "unknown", 401],
  ["GET", "/v1/pets/1", "admin", 200, ONE],
  ["GET", "/v1/pets/1", "reader", 200, ONE],
  ["GET", "/v1/pets/1", "admin", 200, ONE],
  ["OPTIONS", "/v1/pets/1", "admin", 204, ONE],
  ["PUT", "/v1/pets/1", "admin", 405, ONE],
  ["GET", "/v1/pets/7", "reader", 404, ONE],
  ["GET", "/v1/pets/1", "expired", 401],
  ["GET", "/v1/pets/1", "revoked", 401],
  ["GET", "/v1/store/orders", "admin", 501, "/v1/store/orders"],
  ["GET", "/readyz", "nobody", 200, "/readyz"],
];
const REFUSED = ["unknown", "expired", "revoked", "nobody"];

/** Keys of a file by their names. "twin" has the caller of another, and is never used. */
async function makeKeys(): Promise<Record<string, string>> {
  await using store = createSqliteStore("pets.db");
  const manager = createKeyManager(store.keys);
  const keys: Record<string, string> = { unknown: "pk_unknown" };
  const add = async (label: string, options = {}) => keys[label] = (await manager.add({ label, ...options })).key;
  await add("admin", { caller: "admins" });
  await add("twin", { caller: "admins" });
  await add("reader", { readOnly: true });
  await withClock(-2 * HOUR, () => add("expired", { expires: new Date(Date.now() + HOUR) }));
  await add("revoked");
  await manager.revoke((await manager.list()).at(-1)!.id);
  return keys;
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";

/** How a line of the log is read, in each form that the log may have. */
const READ_LINE: Record<string, (line: string) => Record<string, unknown>> = {
  json: (line) => JSON.parse(line),
  text: (line) => {
    const [, time, client, method, target, status, code, durationMs] =
      /^(\S+Z) (\S+) (\S+) (\S+) (\d+)(?: ([a-z_]+))? (\d+\.\d)ms$/.exec(line) ?? [];
    return { time, client, method, target, status: Number(status), code, durationMs: Number(durationMs) };
  },
};

for (const [form, readLine] of Object.entries(READ_LINE)) {
  test.inFolder(`each request has a line of ${form}, a count and an id of its own`, async () => {
    const keys = await makeKeys();
    const port = await freePort();
    const args = [`--log=${form}`, "--request-id=all", `--metrics=127.0.0.1:${port}`, "--store=sqlite:pets.db"];
    const expected: Record<string, unknown>[] = [], times: [number, number][] = [];
    const count = new Map<string, number>();
    const add = (name: string) => count.set(name, (count.get(name) ?? 0) + 1);
    const [stdout, samples] = await withServerHere({ args }, async (server) => {
      for (const [method, target, who, status, route] of REQUESTS) {
        // An id of zeros is none (W3C Trace Context).
        const traceparent = `00-${who === "admin" ? TRACE : "0".repeat(32)}-b7ad6b7169203331-01`;
        const headers = { "content-type": "application/json", traceparent };
        const body = method === "POST" ? '{"name":"Zoë 咪咪","categoryId":7}' : null;
        const before = Date.now();
        const answer = await request(server.origin + target, keys[who] ?? null, { method, headers, body });
        assert.equal(answer.status, status, `${method} ${target} of ${who}`);
        const code = status < 400 ? undefined : JSON.parse(answer.text).code;
        if (code) add(`petstore_errors_total ${code}`);
        add(`petstore_requests_total ${method} ${status} ${route ?? ""}`.trim());
        add(`petstore_request_duration_seconds_count ${route ?? ""}`.trim());
        if (route === ONE && ["GET", "HEAD"].includes(method)) add(`petstore_deprecated_requests_total ${who} ${ONE}`);
        // A probe that finds the server well is counted, and has no line.
        if (route === "/readyz") continue;
        times.push([before - 2, Date.now()]);
        const isNamed = !REFUSED.includes(who);
        const more = {
          requestId: answer.headers.get("x-request-id"),
          bytes: new TextEncoder().encode(answer.text).length,
          route,
          caller: isNamed ? who : undefined,
          traceId: who === "admin" ? TRACE : undefined,
        };
        expected.push({ method, target, status, code, client: "127.0.0.1", ...(form === "json" && more) });
      }
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      await server.stop();
      return [server.written.stdout, samplesOf(metrics)];
    });
    await using store = createSqliteStore("pets.db");
    const stored = await createKeyManager(store.keys).list();
    const nameOf = (caller: unknown) => stored.find((key) => key.caller === caller)?.label ?? String(caller);

    const lines = stdout.split("\n").filter((line) => /"durationMs"|ms$/.test(line)).map(readLine);
    const shown = lines.map(({ time: _, durationMs: __, caller, ...facts }) => (
      { ...facts, caller: caller && nameOf(caller) }
    ));
    // Members that are undefined are no members of a line.
    const plain = (lines: unknown) => JSON.parse(JSON.stringify(lines));
    assert.deepEqual(plain(shown), plain(expected));
    for (const [i, { time }] of lines.entries()) {
      const at = Date.parse(String(time));
      assert.ok(times[i]![0] <= at && at <= times[i]![1], `${time} of ${REQUESTS[i]}`);
    }
    const isCount = /requests_total|errors_total [^ ]|request_duration_seconds_count/;
    const counted = [...samples].filter(([name]) => isCount.test(name))
      .map(([name, value]) => [name.replace(/\S+(?= \/v1\/pets\/\{petId\}$)/, nameOf), value]);
    assert.deepEqual(counted.sort(), [...count].sort());
  });
}

interface Local {
  server: Server;
  gate: DrainGate;
  lines: { output: string[]; errors: string[] };
  ask(target?: string): Promise<number>;
}

/** A server without a socket, whose store has one key. Returns its lines when it has ended. */
async function withLocal(store: KeyedPetStore, use: (parts: Local) => Promise<void>): Promise<Local["lines"]> {
  const lines: Local["lines"] = { output: [], errors: [] }, calls: string[] = [];
  const note = (call: string) => () => Promise.resolve(void calls.push(call));
  const listener = { stop: note("stop"), finish: note("finish") };
  const args = ["--log=json", "--metrics=127.0.0.1:1", "--store=memory:"];
  const local = await startWithoutSocket(args, store, listener, (line, output) => lines[output].push(line));
  const { key } = await createKeyManager(store.keys).add({ label: "ci" });
  const context = (target: string) => createContext({ authorization: `Bearer ${key}` }, "GET", target);
  const ask = async (target = "/v1/pets/7") =>
    await local.gate.respond(context(target), undefined, ({ status }) => status);
  await use({ ...local, lines, ask });
  await local.server.shutDown(0);
  assert.deepEqual(calls, ["stop", "finish"]);
  return lines;
}

const FAILURES = [
  [new StoreUnavailableError("the disk is full"), 503, 1, /"error":"the disk is full"/],
  [new Error("a bug"), 500, 0, /"error":"Error: a bug\\n +at /],
] as const;

for (const [thrown, status, storeErrors, logged] of FAILURES) {
  test(`a request that fails by ${thrown} is logged with its cause, and counts as the store's failure only if it is one`, async () => {
    const store = Object.assign(createMemoryStore(), {
      get: () => {
        throw thrown;
      },
    });
    // The second one is told at the end.
    const { output, errors } = await withLocal(store, async ({ server, ask }) => {
      for (const count of [1, 2]) {
        assert.equal(await ask(), status);
        assert.equal(server.readMetrics()["petstore_store_errors_total"], count * storeErrors);
      }
    });
    const idsOf = (lines: string[]) => lines.map((line) => JSON.parse(line).requestId);
    assert.deepEqual(idsOf(errors), idsOf(output));
    for (const line of errors) assert.match(line, logged);
  });
}

test("a server that stops has a line for each request that it refuses, and for those in flight", () => {
  const read = Promise.withResolvers<undefined>();
  const store = Object.assign(createMemoryStore(), { get: () => read.promise });
  return withLocal(store, async ({ gate, lines, ask }) => {
    const inFlight = ask();
    const answered = gate.refuse();
    for (const [target, status] of [["/v1/pets", 503], ["/livez", 200]] as const) {
      assert.equal(await ask(target), status);
    }
    read.resolve(undefined);
    assert.equal(await inFlight, 404);
    await answered;
    const facts = lines.output.map((line) => JSON.parse(line)).map(({ target, status }) => [target, status]);
    assert.deepEqual(facts, [["/v1/pets", 503], ["/livez", 200], ["/v1/pets/7", 404]]);
  });
});

test("a server tells when its keys cannot be read, and when they can again", async (t) => {
  const store = createMemoryStore();
  const { listSince } = store.keys;
  let isDown = false, ahead = 0;
  store.keys.listSince = (last) => {
    if (isDown) throw new StoreUnavailableError("away");
    return listSince!.call(store.keys, last);
  };
  await withLocal(store, async ({ lines, ask }) => {
    assert.equal(await ask(), 404);
    const now = performance.now.bind(performance);
    const clock = t.mock.method(performance, "now", () => now() + ahead);
    for (isDown of [true, true, false, false]) {
      ahead += 11_000;
      assert.equal(await ask(), 404);
    }
    clock.mock.restore();
    assert.deepEqual(lines.errors, [
      "petstore: the API keys cannot be read at the moment, so the last known ones stay valid: away",
      "petstore: the API keys can be read again",
    ]);
  });
});
