import assert from "node:assert/strict";
import { succeed } from "../support/server/pet_files.ts";
import { test } from "node:test";
import packaged from "../../openapi.json" with { type: "json" };
import { createServerPipeline } from "../../lib/server/serving/server_pipeline.ts";
import { createMemoryStore } from "../../mod.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { withFreshServerHere } from "../support/server/in_process.ts";
import { serverOpenApiOf } from "../support/descriptions.ts";

test("the description and the probes are answered without a key, and HEAD as GET; every other path needs a key", () =>
  withFreshServerHere({ args: ["--store=memory:", "--key=k"] }, async (server) => {
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
    for (const path of ["/livez/", "/metrics", "/v1", "/data/api-key", "/..%2fdata/api-key"]) {
      assert.equal((await server.ask(path, null)).status, 401, path);
      assert.equal((await server.ask(path, "k")).status, 404, path);
    }
    // Deno.serve joins the Host header and the target to a URL. RFC 9112 §3.2 requires 400 for such a header.
    const response = await exchange(server, "GET /v1/pets HTTP/1.1\r\nHost: a/livez?\r\n\r\n");
    assert.equal(response?.status, 400);
  }));

test("every page may read the description, also if only pages of some origins may use the API", () =>
  withFreshServerHere({ args: ["--store=memory:", "--key=k", "--cors-origin=https://one.example"] }, async (server) => {
    const { headers } = await server.ask("/openapi.json", null, { headers: { origin: "https://two.example" } });
    assert.equal(headers.get("access-control-allow-origin"), "*");
  }));

test("the description has samples where they are asked for, as openapi --samples prints it and the package has it", () =>
  withFreshServerHere({}, async (server) => {
    assert.ok(!(await server.ask("/openapi.json", null)).text.includes("x-codeSamples"));
    for (const query of ["?samples", "?version=1&samples"]) {
      assert.deepEqual(JSON.parse((await server.ask(`/openapi.json${query}`, null)).text), packaged);
    }
    assert.deepEqual(JSON.parse(await succeed("openapi --samples")), packaged);
  }));

test("/readyz checks the store once a second at most, however often and slowly, and with ?writes whether it can be written", async (t) => {
  const clock = t.mock.method(performance, "now", () => 0);
  const checks = { reads: 0, writes: 0 };
  let check = () => Promise.resolve();
  const store = Object.assign(createMemoryStore(), {
    check() {
      checks.reads++;
      return check();
    },
    checkWrites() {
      checks.writes++;
      throw new StoreUnavailableError("full");
    },
  });
  const { respond } = createServerPipeline({ keys: ["k"], store, onError() {} }, { hasDocs: false });
  /** Asks a hundred times, with each query in turn, and returns the statuses, each once. */
  const ask = async (...queries: string[]) => {
    const statuses = Array.from({ length: 100 }, (_, i) => {
      const context = createContext({}, "GET", `/readyz${queries[i % queries.length]}`);
      return respond(context, ({ status }) => status);
    });
    return [...new Set(await Promise.all(statuses))];
  };
  assert.deepEqual(await ask("", "?writesx"), [200]);
  assert.deepEqual(await ask("?writes=1", "?a=1&writes"), [503]);
  assert.deepEqual(checks, { reads: 1, writes: 1 });
  // A database that does not answer is not asked again, and a failure is repeated as a success is.
  const { promise, reject } = Promise.withResolvers<void>();
  check = () => promise;
  clock.mock.mockImplementation(() => 1_001);
  const first = ask("");
  clock.mock.mockImplementation(() => 60_000);
  const later = ask("");
  reject(new StoreUnavailableError("down"));
  assert.deepEqual([await first, await later, await ask("")], [[503], [503], [503]]);
  assert.equal(checks.reads, 2);
  // After a failure, it is asked again.
  check = () => Promise.resolve();
  clock.mock.mockImplementation(() => 61_001);
  assert.deepEqual(await ask(""), [200]);
  // Deno does not do so at the end of a test, and the tests after this one need the time.
  clock.mock.restore();
});
