import assert from "node:assert/strict";
import { VERSION } from "../../lib/server/process/version.ts";
import { createServerPipeline } from "../../lib/server/serving/server_pipeline.ts";
import { VIEWER_VERSION } from "../../lib/server/viewer/operations.ts";
import { indentJson } from "../../lib/server/viewer/page/indent_json.js";
import { createContext } from "../support/context.ts";
import { type AnyServer, test, withFreshServerHere } from "../support/server/in_process.ts";
import { readKey } from "../support/server/server_process.ts";
import { packPage } from "../../tools/viewer/pack.ts";

const ARGS = ["--store=memory:", "--key=k"];

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Record<string, string> = { docs: "html", css: "css", js: "javascript", txt: "plain" };

function get({ ask }: AnyServer, path: string, headers: Record<string, string> = {}) {
  return ask(path, null, { headers, redirect: "manual" });
}

test("the page and its files are served without a key, behind any prefix of a proxy, and may be cached as long as they do not change", () =>
  withFreshServerHere({ args: ARGS }, async (server) => {
    for (const [path, location] of Object.entries({ "/": "docs", "/docs/": "../docs" })) {
      const { status, headers } = await get(server, path);
      assert.deepEqual([status, headers.get("location"), headers.get("cache-control")], [302, location, "no-cache"]);
    }
    const { text } = await get(server, "/docs");
    const references = text.matchAll(/ (?:href|src)="(?!data:|openapi)([^"]+)"/g).map(([, reference = ""]) =>
      reference
    );
    for (const reference of ["docs", `docs/${VIEWER_VERSION}/swagger-ui-bundle.js.LICENSE.txt`, ...references]) {
      assert.doesNotMatch(reference, /^\/|^[a-z]+:/);
      const path = new URL(reference, "http://a/docs").pathname;
      const { headers } = await get(server, path);
      // Files of Swagger UI have its version in their paths. The others are revalidated each time.
      const isVersioned = path.includes(VIEWER_VERSION);
      assert.equal(headers.get("content-type"), `text/${TYPES[path.split(/[./]/).at(-1)!]}; charset=utf-8`);
      assert.equal(headers.get("content-security-policy"), isVersioned ? null : POLICY, path);
      assert.equal(headers.get("referrer-policy"), isVersioned ? null : "no-referrer", path);
      assert.equal(headers.get("x-content-type-options"), "nosniff", path);
      const caching = isVersioned ? "public, max-age=31536000, immutable" : "no-cache";
      assert.equal(headers.get("cache-control"), caching, path);
      assert.equal((await get(server, path, { "if-none-match": headers.get("etag")! })).status, 304);
    }
    for (const path of ["/docs/0.0.0/swagger-ui.css", "/docs/viewer.txt", "/docs/..%2fapi-key"]) {
      assert.equal((await server.ask(path, "k")).status, 404, path);
    }
  }));

test("the page may send requests to the named servers or to the public address, and to no other", async () => {
  const api = "https://api.example/v1";
  const servers = [api, "https://api.example/b/v1", "http://localhost:1/v1"].map((url) => ({ url }));
  const pipelines = [
    [createServerPipeline({ keys: ["k"] }, { hasDocs: true, servers }), "https://api.example http://localhost:1"],
    [createServerPipeline({ keys: ["k"], publicBaseUrl: api }, { hasDocs: true }), "https://api.example"],
  ] as const;
  for (const [{ respond }, expected] of pipelines) {
    const { headers } = await respond(createContext({}, "GET", "/docs"), (reply) => reply);
    assert.ok(headers["content-security-policy"]?.includes(`; connect-src 'self' ${expected}; `));
  }
});

test("the page has the release and the places of keys, and never a key; without it (--no-docs), the description is still served", async () => {
  await withFreshServerHere({}, async (server) => {
    const { text } = await get(server, "/docs");
    assert.ok(text.includes(`release ${VERSION}`));
    assert.match(text, /in <code>data\/api-key<\/code>, in <code>PETSTORE_KEYS<\/code>/);
    assert.ok(!text.includes(readKey(".")));
  });
  await withFreshServerHere({ args: [...ARGS, "--no-docs"] }, async (server) => {
    for (const path of ["/", "/docs", "/docs/viewer.js"]) assert.equal((await get(server, path)).status, 401, path);
    assert.equal((await server.ask("/openapi.json", null)).status, 200);
    assert.match(server.written.stdout, /^ {2}description {2}http:\S+\/openapi\.json$/m);
  });
});

test("indentJson() indents JSON, and leaves numbers as they are written", () => {
  const lines = ["{", '  "a": [', "    9223372036854775807,", "    -9223372036854775807,", "    1.0", "  ]", "}"];
  assert.equal(indentJson('{"a":[9223372036854775807,-9223372036854775807, 1.0]}'), lines.join("\n"));
  for (const text of ["<p>", "", undefined]) assert.equal(indentJson(text), undefined);
});

test("the server's copy of the page's scripts is up to date", async () => {
  const copy = await Deno.readTextFile(new URL("../../lib/server/viewer/page.json", import.meta.url));
  assert.ok(copy === packPage(), "run deno task viewer");
});
