import assert from "node:assert/strict";
import { test } from "node:test";
import { ANONYMOUS } from "../../lib/http/operation.ts";
import { checkOptions } from "../../lib/petstore/settings.ts";
import { createPublicOperations } from "../../lib/server/public_operations.ts";
import { createMemoryStore } from "../../mod.ts";
import { createContext } from "../support/context.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { withFreshServerHere } from "../support/server/in_process.ts";
import { readKey } from "../support/server/server_process.ts";

test("the description and the probes are answered without a key, and HEAD as GET", () =>
  withFreshServerHere({}, async (server) => {
    for (const path of ["/openapi.json", "/livez", "/readyz", "/readyz?writes"]) {
      const { status, headers, text } = await server.ask(path, null);
      assert.equal(status, 200, path);
      assert.equal(headers.get("access-control-allow-origin"), path === "/openapi.json" ? "*" : null);
      if (path === "/openapi.json") assert.ok(Object.keys(JSON.parse(text).paths).includes("/pets"));
      else assert.equal(text, '{"status":"ok"}');
      const head = await exchange(server, `HEAD ${path} HTTP/1.0\r\n\r\n`);
      assert.equal(head?.headers.get("content-length"), String(new TextEncoder().encode(text).length), path);
      assert.equal((await server.ask(path, null, { method: "DELETE" })).status, 405, path);
    }
    for (const path of ["/livez/", "/metrics", "/v1", "/data/api-key", "/..%2fdata/api-key"]) {
      assert.equal((await server.ask(path, null)).status, 401, path);
      assert.equal((await server.ask(path, readKey("."))).status, 404, path);
    }
    // Deno.serve joins the Host header and the target to a URL. RFC 9112 §3.2 requires 400 for such a header.
    const response = await exchange(server, "GET /v1/pets HTTP/1.1\r\nHost: a/livez?\r\n\r\n");
    assert.ok(response?.status === 400 || response?.status === 401, `${response?.status} ${response?.text}`);
  }));

test("many requests for /readyz?writes share one check a second, which adds no pet", async () => {
  const store = createMemoryStore();
  let checks = 0;
  store.checkWrites = () => void checks++;
  const parts = { hasDocs: false, isComplete: () => true, keyLocation: "settings" } as const;
  const operations = createPublicOperations(checkOptions({ keys: ["k"], store }), parts);
  const { handler } = operations.find(({ path }) => path === "/readyz")!;
  const ask = (query: string) => handler({ context: createContext({}), caller: ANONYMOUS, query, parameter: "" });
  for (let i = 0; i < 3; i++) await Promise.all(Array.from({ length: 100 }, () => ask("writes")));
  assert.equal(checks, 1);
  await ask("");
  assert.equal(checks, 1);
});
