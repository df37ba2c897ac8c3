/** What createNodeListener() on `node:http` sends, and that the connection can be used afterwards. */

import assert from "node:assert/strict";
import { connect, createServer as createHttp2Server } from "node:http2";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { type ApiKeys, createPetstore } from "../../mod.ts";
import { openApp, ORDERS } from "../support/app.ts";
import { exchange, head, KEY, WITH_KEY } from "../support/http/node_exchange.ts";
import { withListening } from "../support/http/listening.ts";

type Http2Listener = Parameters<typeof createHttp2Server>[0];

test("createNodeListener() keeps headers that were set before, the bytes of each header, and each cookie in a field of its own, and no field of an upstream's connection", async () => {
  const cookies = ["a=1; Path=/", "b=2; Expires=Thu, 01 Jan 2032 00:00:00 GMT"];
  const headers = new Headers(cookies.map((cookie): [string, string] => ["set-cookie", cookie]));
  headers.set("content-disposition", 'attachment; filename="h\u00fcnde"');
  headers.set("connection", "x-upstream");
  const listener = createNodeListener(() => new Response("woof", { headers }));
  const received = await exchange((request, response) => {
    response.setHeader("x-a", "app").setHeader("content-disposition", "inline");
    listener(request, response);
  }, head("GET /", "Host: x"));
  assert.match(received, /^x-a: app\r$/im);
  assert.deepEqual(received.match(/filename="h\u00fcnde"|inline/g), ['filename="h\u00fcnde"']);
  assert.deepEqual(received.match(/(?<=^set-cookie: ).*(?=\r$)/gim), cookies);
  assert.doesNotMatch(received, /x-upstream/);
});

test("createNodeListener() answers 500 for a handle that throws, or returns nothing that can be sent, and reports why", async (t) => {
  const error = t.mock.method(console, "error", () => {});
  const unsendable = new Response("woof", { headers: { "content-encoding": "gzip", "x-odd": "a\x01b" } });
  const handles = [() => Promise.reject(new Error("broken")), () => undefined, () => unsendable];
  for (const handle of handles) {
    const received = await exchange(createNodeListener(handle as () => Promise<Response>), head("GET /", "Host: x"));
    assert.match(received, /^HTTP\/1\.1 500 (?![^]*content-encoding)[^]*"code":"internal_error"/);
  }
  assert.equal(String(error.mock.calls[0]?.arguments[0]), "Error: broken");
  error.mock.restore();
});

test("createNodeListener() sends no Content-Length with 204 and 304, which would be wrong there (RFC 9110 §8.6)", async () => {
  const listener = createNodeListener(createPetstore({ keys: [KEY] }));
  for (const [line, status, ...fields] of [["OPTIONS /v1/pets", 204], ["GET /v1/pets", 304, "If-None-Match: *"]]) {
    const received = await exchange(listener, head(String(line), ...WITH_KEY, ...fields.map(String)));
    assert.match(received, RegExp(`^HTTP/1\\.1 ${status} (?![^]*content-length)[^]*\r\n\r\n$`, "i"));
  }
});

test("createNodeListener() sends Content-Length: 0 with a Response that has no body, such as a redirect, but not to HEAD", async () => {
  for (const status of [200, 205, 303]) {
    const listener = createNodeListener(() => new Response(null, { status }));
    const received = await exchange(listener, head("GET /", "Host: x"));
    assert.match(received, RegExp(`^HTTP/1\\.1 ${status} [^]*\r\ncontent-length: 0\r\n[^]*\r\n\r\n$`, "i"));
    assert.doesNotMatch(received, /transfer-encoding/i);
    assert.doesNotMatch(await exchange(listener, head("HEAD /", "Host: x")), /content-length/i);
  }
});

/** A verifier that reads a part of the body of a clone of the request. */
async function readPart(_key: string | undefined, request: Request): Promise<boolean> {
  await request.clone().body?.getReader().read();
  return true;
}

test("createNodeListener() can use a connection after a body that was read in part, by the petstore or by a verifier", async () => {
  const body = " ".repeat(300_000);
  const whole = `Content-Length: 300000\r\n\r\n${body}`;
  const chunks = `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const readers: [keys: ApiKeys, framed: string][] = [
    [readPart, whole],
    [readPart, chunks],
    // On node:http of Deno 2.9 a long body that nothing has read keeps its connection, so the
    // petstore reads a part of chunks.
    [[KEY], chunks],
  ];
  // All run at once, because the rest of a body is discarded a second after the response.
  await Promise.all(readers.map(async ([keys, framed]) => {
    const post = ["POST /v1/pets HTTP/1.1", ...WITH_KEY, framed].join("\r\n");
    const listener = createNodeListener(createPetstore({ keys }));
    const received = await exchange(listener, post + head("GET /v1/pets", ...WITH_KEY));
    assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 413", "HTTP/1.1 200"]);
  }));
});

interface Misframed {
  body?: string;
  status?: number;
  headers: Record<string, string>;
}

/** Responses whose fields say something else about the body than the host that sends it. */
const MISFRAMED: Record<string, Misframed> = {
  "a length without a body": { headers: { "content-length": "5" } },
  "a length with 204": { status: 204, headers: { "content-length": "5" } },
  "a shorter length": { body: "hello", headers: { "content-length": "3" } },
  "a longer length": { body: "hello", headers: { "content-length": "8" } },
  "a coding": { body: "hello", headers: { "transfer-encoding": "gzip, chunked" } },
  "an upgrade": { body: "hello", headers: { connection: "upgrade", upgrade: "h2c" } },
};

for (const [what, { body, status = 200, headers }] of Object.entries(MISFRAMED)) {
  test(`on node:http a response with ${what} takes nothing of the next one of its connection`, async () => {
    const { petstore } = openApp(() => new Response(body, { status, headers }));
    for (const method of ["GET", "HEAD"]) {
      const orders = [`${method} ${ORDERS} HTTP/1.1`, ...WITH_KEY, "", ""].join("\r\n");
      const received = await exchange(createNodeListener(petstore), orders + head("GET /v1/pets", ...WITH_KEY));
      const sent = received.replaceAll(/HTTP\/1\.1 (\d+) [^]*?\r\n\r\n/g, "<$1>");
      assert.equal(sent, `<${status}>${method === "GET" ? body ?? "" : ""}<200>[]`);
    }
  });
}

test("a middleware that keeps any head from being sent closes the connection, and the process lives", async () => {
  const listener = createNodeListener(createPetstore({ keys: [KEY], onError: () => {} }));
  const received = await exchange((request, response) => {
    response.writeHead = () => assert.fail("The middleware is broken");
    listener(request, response);
  }, head("GET /v1/pets", ...WITH_KEY));
  assert.equal(received, "");
});

test("createNodeListener() refuses HTTP/2, and says what to do", async () => {
  const listener = createNodeListener(createPetstore({ keys: [KEY] }));
  await withListening(createHttp2Server(listener as unknown as Http2Listener), async (port) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ":path": "/v1/pets", authorization: `Bearer ${KEY}` });
    assert.match(
      (await Array.fromAsync(stream.setEncoding("utf8"))).join(""),
      /serves HTTP\/1; for HTTP\/2, put a proxy/,
    );
    session.destroy();
  });
});
