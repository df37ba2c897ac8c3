import assert from "node:assert/strict";
import { test } from "node:test";
import { VIEWER_VERSION } from "../../lib/server/viewer/files.ts";
import { assertLog } from "../support/server/access_log.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { withRemoteServer } from "../support/server/remote_server.ts";
import { SCRIPTS } from "../support/server/page_description.ts";
import { onDenoAlone } from "../support/server/serve_task.ts";
import { validateServerResponse } from "../support/server/server_description.ts";
import {
  readKey,
  runCommand,
  type ServerProcess,
  withFreshServer,
  withServer,
} from "../support/server/server_process.ts";
import { withTempFolder } from "../support/temp.ts";
import { testUnless } from "../support/system/commands.ts";
import { VERSION } from "../../lib/version.ts";

const ARGS = ["--store=memory:", "--key=k"];
const BUNDLE = `/docs/${VIEWER_VERSION}/swagger-ui-bundle.js`;
const FILES = [BUNDLE, `${BUNDLE}.LICENSE.txt`, `/docs/${VIEWER_VERSION}/swagger-ui.css`];
const TEXTS = ["/docs", "/docs/viewer.css", ...SCRIPTS.map((name) => `/docs/${name}`)];

function get({ ask }: ServerProcess, path: string, headers: Record<string, string> = {}, method = "GET") {
  return ask(path, null, { method, headers, redirect: "manual" });
}

function shared(headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => name !== "date");
}

test("/ leads to the page, without a key and behind any prefix of a proxy", () =>
  withFreshServer({ args: ARGS }, async (server) => {
    for (const [path, location] of [["/", "docs"], ["/docs/", "../docs"]] as const) {
      const { status, headers } = await get(server, path);
      assert.equal(status, 302);
      assert.equal(headers.get("location"), location);
    }
    const { text } = await get(server, "/docs");
    const references = Array.from(text.matchAll(/ (?:href|src)="([^"]+)"/g), ([, reference]) => reference!);
    assert.ok(references.length >= 4);
    for (const reference of references.filter((reference) => !reference.startsWith("data:"))) {
      assert.doesNotMatch(reference, /^\/|^[a-z]+:/);
      assert.equal((await get(server, new URL(reference, "http://a/docs").pathname)).status, 200, reference);
    }
  }));

test("the page and its script may use only their own server and are revalidated each time", () =>
  withFreshServer({ args: ARGS }, async (server) => {
    for (const path of TEXTS) {
      const { headers } = await get(server, path);
      const policy = headers.get("content-security-policy") ?? "";
      const names = policy.split("; ").map((directive) => directive.split(" ")[0]);
      for (const name of ["default-src", "frame-ancestors", "base-uri", "form-action"]) {
        assert.ok(policy.includes(`${name} 'none'`), policy);
      }
      for (const name of ["script-src", "style-src", "connect-src"]) {
        assert.ok(`${policy};`.includes(`${name} 'self';`), policy);
      }
      assert.equal(names.length, new Set(names).size);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("cache-control"), "no-cache");
      assert.equal(headers.get("access-control-allow-origin"), null);
      const known = await get(server, path, { "if-none-match": headers.get("etag") ?? "" });
      assert.equal(known.status, 304);
      assert.equal(known.headers.get("content-security-policy"), policy);
    }
  }));

test("the viewer's files may be cached for ever and are the same compressed and plain", () =>
  withFreshServer({ args: ARGS }, async (server) => {
    const types = ["text/javascript", "text/plain", "text/css"];
    for (const [index, path] of FILES.entries()) {
      const [plain, compressed] = [
        await get(server, path, { "accept-encoding": "identity, gzip;q=0" }),
        await get(server, path, { "accept-encoding": "br, GZIP; q=0.5" }),
      ];
      assert.equal(plain.text, compressed.text);
      assert.ok(plain.text.length > 1000);
      assert.notEqual(plain.headers.get("etag"), compressed.headers.get("etag"));
      for (const { headers } of [plain, compressed]) {
        assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
        assert.equal(headers.get("vary"), "Accept-Encoding");
        assert.equal(headers.get("content-type"), `${types[index]}; charset=utf-8`);
        assert.equal(headers.get("x-content-type-options"), "nosniff");
      }
      const known = { "if-none-match": plain.headers.get("etag") ?? "" };
      assert.equal((await get(server, path, { ...known, "accept-encoding": "identity" })).status, 304);
      assert.equal((await get(server, path, { ...known, "accept-encoding": "gzip" })).status, 200);
    }
  }));

test("HEAD is answered as GET, other methods with 405, and each request has its line in the log", () =>
  withFreshServer({ args: ARGS }, async (server) => {
    const lines: string[] = [];
    for (const path of ["/", ...TEXTS, BUNDLE]) {
      const [head, whole] = [await get(server, path, {}, "HEAD"), await get(server, path)];
      assert.deepEqual(shared(head.headers), shared(whole.headers), path);
      assert.equal(head.text, "");
      const refused = await get(server, path, {}, "POST");
      assert.equal(refused.status, 405);
      assert.equal(refused.headers.get("allow"), "GET, HEAD, OPTIONS");
      assert.equal(JSON.parse(refused.text).code, "method_not_allowed");
      lines.push(`HEAD ${path} ${head.status}`, `GET ${path} ${whole.status}`, `POST ${path} 405`);
    }
    for (const path of ["/docs/0.0.0/swagger-ui.css", "/docs/viewer.txt", "/docs/..%2fapi-key"]) {
      assert.equal((await get(server, path)).status, 401, path);
      assert.equal((await server.ask(path, "k")).status, 404, path);
      for (const status of [401, 404]) lines.push(`GET ${new URL(path, server.origin).pathname} ${status}`);
    }
    assert.equal(await server.stop(), 0);
    assertLog(server.written.stdout, lines);
  }));

for (const workers of [1, 2]) {
  testUnless(workers > 1 && onDenoAlone("workers"))(
    `the page begins with the release and the place of the key, and never has the key: --workers=${workers}`,
    () =>
      withFreshServer({ args: [`--workers=${workers}`] }, async (server, folder) => {
        const { text } = await get(server, "/docs");
        assert.ok(text.includes(`release ${VERSION}`));
        assert.match(text, /The key is in the file <code>data\/api-key<\/code>/);
        assert.ok(!text.includes(readKey(folder)));
      }),
  );
}

test("the page says so if the keys were set, and has none of them", () =>
  withFreshServer({ args: ["--store=memory:"], env: { PETSTORE_KEYS: "pk_of_the_operator" } }, async (server) => {
    const { text } = await get(server, "/docs");
    assert.match(text, /started with keys \(<code>PETSTORE_KEYS<\/code>/);
    assert.doesNotMatch(text, /pk_|api-key</);
  }));

test("the page says so if the keys are in the store alone", () =>
  withTempFolder(async (folder) => {
    assert.equal((await runCommand(folder, ["keys", "add", "--label", "ci"])).status, 0);
    await withServer(folder, {}, async (server) => {
      assert.match((await get(server, "/docs")).text, /The keys are in the store/);
    });
  }));

test("without the page (--no-docs), the description is still served", () =>
  withFreshServer({ args: [...ARGS, "--no-docs"] }, async (server) => {
    for (const path of ["/", ...TEXTS, BUNDLE]) assert.equal((await get(server, path)).status, 401, path);
    assert.equal((await server.ask("/openapi.json", null)).status, 200);
    assert.match(server.written.stdout, /^ {2}description {2}http:\S+\/openapi\.json$/m);
  }));

test("a server that was started from an address, as from JSR, has the viewer's files too", () =>
  withRemoteServer(ARGS, async ({ port }) => {
    for (const path of [...TEXTS, ...FILES]) {
      const response = await exchange({ port, validate: validateServerResponse }, `GET ${path} HTTP/1.0\r\n\r\n`);
      assert.equal(response?.status, 200, path);
    }
  }));
