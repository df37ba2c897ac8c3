import assert from "node:assert/strict";
import { succeed } from "../support/server/pet_files.ts";
import { test } from "node:test";
import packaged from "../../openapi.json" with { type: "json" };
import { createServerPipeline } from "../../lib/server/service/server_pipeline.ts";
import { createMemoryStore } from "../../mod.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { withFreshServerHere } from "../support/server/in_process.ts";
import { serverOpenApiOf } from "../support/descriptions.ts";
import { readKey } from "../support/server/server_process.ts";

test("the description and the probes are answered without a key, and HEAD as GET", () =>
  withFreshServerHere({}, async (server) => {
    for (const path of ["/openapi.json", "/livez", "/readyz", "/readyz?writes"]) {
      const { status, headers, text } = await server.ask(path, null);
      assert.deepEqual([status, headers.get("content-type")], [200, "application/json"], path);
      const isDescription = path === "/openapi.json";
      assert.equal(headers.get("access-control-allow-origin"), isDescription ? "*" : null);
      assert.deepEqual(JSON.parse(text), isDescription ? serverOpenApiOf() : { status: "ok" });
      const head = await exchange(server, `HEAD ${path} HTTP/1.0\r\n\r\n`);
      assert.equal(head?.headers.get("content-length"), String(new TextEncoder().encode(text).length), path);
      assert.equal((await server.ask(path, null, { method: "DELETE" })).status, 405, path);
    }
  }));

test("every other path needs a key, and with a key is not found", () =>
  withFreshServerHere({}, async (server) => {
    for (const path of ["/livez/", "/metrics", "/v1", "/data/api-key", "/..%2fdata/api-key"]) {
      assert.equal((await server.ask(path, null)).status, 401, path);
      assert.equal((await server.ask(path, readKey("."))).status, 404, path);
    }
    // Deno.serve joins the Host header and the target to a URL. RFC 9112 §3.2 requires 400 for such a header.
    const response = await exchange(server, "GET /v1/pets HTTP/1.1\r\nHost: a/livez?\r\n\r\n");
    assert.equal(response?.status, 400);
  }));

test("the description has samples where they are asked for, as openapi --samples prints it and the package has it", () =>
  withFreshServerHere({}, async (server) => {
    assert.ok(!(await server.ask("/openapi.json", null)).text.includes("x-codeSamples"));
    for (const query of ["?samples", "?version=1&samples"]) {
      assert.deepEqual(JSON.parse((await server.ask(`/openapi.json${query}`, null)).text), packaged);
    }
    assert.deepEqual(JSON.parse(await succeed("openapi --samples")), packaged);
  }));

/** A server's handling of `/readyz` over a store whose checks are counted, and may fail. */
function createReadiness() {
  const checks = { reads: 0, writes: 0 };
  const state = { fails: false, isFull: false, answer: Promise.resolve() };
  const store = Object.assign(createMemoryStore(), {
    check() {
      checks.reads++;
      if (state.fails) throw new StoreUnavailableError("down");
      return state.answer;
    },
    checkWrites() {
      checks.writes++;
      if (state.isFull) throw new StoreUnavailableError("full");
    },
  });
  const options = { keys: ["k"], store, onError() {} };
  const { respond } = createServerPipeline(options, { hasDocs: false, observe: undefined });
  const statuses = async (count: number, query = "") => {
    const ask = async () => await respond(createContext({}, "GET", `/readyz${query}`), ({ status }) => status);
    return new Set(await Promise.all(Array.from({ length: count }, ask)));
  };
  return { checks, state, statuses };
}

test("many requests for /readyz share one check a second, and one of writes if they have ?writes", async (t) => {
  const clock = t.mock.method(performance, "now", () => 0);
  const { checks, state, statuses } = createReadiness();
  for (let i = 0; i < 3; i++) assert.deepEqual(await statuses(100), new Set([200]));
  for (let i = 0; i < 3; i++) assert.deepEqual(await statuses(100, "?writes=1"), new Set([200]));
  assert.deepEqual(checks, { reads: 1, writes: 1 });
  state.fails = true;
  clock.mock.mockImplementation(() => 1_001);
  for (let i = 0; i < 3; i++) assert.deepEqual(await statuses(100), new Set([503]));
  assert.equal(checks.reads, 2);
  state.fails = false;
  // A database that does not answer is not asked again.
  const { promise, resolve } = Promise.withResolvers<void>();
  state.answer = promise;
  clock.mock.mockImplementation(() => 4_000);
  const first = statuses(100);
  clock.mock.mockImplementation(() => 60_000);
  const later = statuses(100);
  resolve();
  assert.deepEqual(await Promise.all([first, later]), [new Set([200]), new Set([200])]);
  assert.equal(checks.reads, 3);
  state.isFull = true;
  clock.mock.mockImplementation(() => 70_000);
  assert.deepEqual([await statuses(1, "?writesx"), await statuses(1, "?a=1&writes")], [new Set([200]), new Set([503])]);
});
