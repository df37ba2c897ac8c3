import assert from "node:assert/strict";
import { VIEWER_VERSION } from "../../lib/server/viewer/files.ts";
import { createServerPipeline } from "../../lib/server/service/server_pipeline.ts";
import { VERSION } from "../../lib/server/process/version.ts";
import { createContext } from "../support/context.ts";
import { type AnyServer, test, withFreshServerHere } from "../support/server/in_process.ts";
import { readKey } from "../support/server/server_process.ts";

const ARGS = ["--store=memory:", "--key=k"];
const BUNDLE = `/docs/${VIEWER_VERSION}/swagger-ui-bundle.js`;
const FILES = [BUNDLE, `${BUNDLE}.LICENSE.txt`, `/docs/${VIEWER_VERSION}/swagger-ui.css`];
/** The page and its own scripts. */
const TEXTS = "components indent_json kept_key viewer".split(" ")
  .map((name) => `/docs/${name}.js`).concat("/docs", "/docs/viewer.css");

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FACTS = ["x-content-type-options", "cache-control", "content-security-policy", "referrer-policy"];

function get({ ask }: AnyServer, path: string, headers: Record<string, string> = {}) {
  return ask(path, null, { headers, redirect: "manual" });
}

test("the page is served without a key, and behind any prefix of a proxy", () =>
  withFreshServerHere({ args: ARGS }, async (server) => {
    for (const [path, location] of [["/", "docs"], ["/docs/", "../docs"]] as const) {
      const { status, headers } = await get(server, path);
      assert.deepEqual([status, headers.get("location"), headers.get("cache-control")], [302, location, "no-cache"]);
    }
    const { text } = await get(server, "/docs");
    const references = Array.from(text.matchAll(/ (?:href|src)="(?!data:)([^"]+)"/g), ([, reference]) => reference!);
    assert.ok(references.length >= 4);
    for (const reference of references) {
      assert.doesNotMatch(reference, /^\/|^[a-z]+:/);
      assert.equal((await get(server, new URL(reference, "http://a/docs").pathname)).status, 200, reference);
    }
    for (const path of ["/docs/0.0.0/swagger-ui.css", "/docs/viewer.txt", "/docs/..%2fapi-key"]) {
      assert.equal((await server.ask(path, "k")).status, 404, path);
    }
  }));

test("the page is revalidated each time; its files may be cached for ever", () =>
  withFreshServerHere({ args: ARGS }, async (server) => {
    const kinds = [
      [TEXTS, /^W\/"[a-p]{24}"$/, ["nosniff", "no-cache", POLICY, "no-referrer"]],
      [FILES, new RegExp(`^"${VIEWER_VERSION}-gzip"$`), ["nosniff", "public, max-age=31536000, immutable", null, null]],
    ] as const;
    for (const [paths, tag, facts] of kinds) {
      for (const path of paths) {
        const { headers } = await get(server, path);
        const etag = headers.get("etag") ?? "";
        assert.match(etag, tag);
        assert.match(headers.get("content-type") ?? "", /^text\/(html|css|javascript|plain); charset=utf-8$/);
        assert.deepEqual(FACTS.map((name) => headers.get(name)), facts, path);
        assert.equal((await get(server, path, { "if-none-match": etag })).status, 304);
      }
    }
  }));

test("the page may send requests to the named servers or to the public address, and to no other", async () => {
  const api = "https://api.example/v1";
  const servers = [api, "https://api.example/b/v1", "http://localhost:1/v1"].map((url) => ({ url }));
  const parts = { hasDocs: true, observe: undefined };
  const pipelines = [
    [createServerPipeline({ keys: ["k"] }, { ...parts, servers }), "https://api.example http://localhost:1"],
    [createServerPipeline({ keys: ["k"], publicBaseUrl: api }, parts), "https://api.example"],
  ] as const;
  for (const [{ respond }, expected] of pipelines) {
    const { headers } = await respond(createContext({}, "GET", "/docs"), (reply) => reply);
    assert.ok(headers["content-security-policy"]?.includes(`; connect-src 'self' ${expected}; `));
  }
});

test("the page begins with the release and the places of keys, and never has a key", () =>
  withFreshServerHere({}, async (server) => {
    const { text } = await get(server, "/docs");
    assert.ok(text.includes(`release ${VERSION}`));
    assert.match(text, /in <code>data\/api-key<\/code>, in <code>PETSTORE_KEYS<\/code>/);
    assert.ok(!text.includes(readKey(".")));
  }));

test("without the page (--no-docs), the description is still served", () =>
  withFreshServerHere({ args: [...ARGS, "--no-docs"] }, async (server) => {
    for (const path of ["/", "/docs", BUNDLE]) assert.equal((await get(server, path)).status, 401, path);
    assert.equal((await server.ask("/openapi.json", null)).status, 200);
    assert.match(server.written.stdout, /^ {2}description {2}http:\S+\/openapi\.json$/m);
  }));
