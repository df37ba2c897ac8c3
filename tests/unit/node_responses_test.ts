/** What createNodeListener() on `node:http` sends, and that the connection can be used afterwards. */

import assert from "node:assert/strict";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { type ApiKeys, createPetstore, type ErrorInfo } from "../../mod.ts";
import { exchange, head, KEY, type Listener, WITH_KEY } from "../support/http/node_exchange.ts";

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
  const cancelled = Promise.withResolvers<void>();
  const headers = { "content-encoding": "gzip", "x-odd": "a\x01b" };
  const unsendable = new Response(new ReadableStream({ cancel: cancelled.resolve }), { headers });
  // What is thrown is shown on the console, and may throw when it is looked at.
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const handles = [
    () => Promise.reject(new Error("broken")),
    () => undefined,
    () => unsendable,
    () => new Response(bodyOf(BROKEN), { headers: { "content-encoding": "gzip", trailer: "x" } }),
    () => Promise.reject(proxy),
  ];
  for (const handle of handles) {
    const received = await exchange(createNodeListener(handle as () => Promise<Response>), head("GET /", "Host: x"));
    assert.match(received, /^HTTP\/1\.1 500 (?![^]*content-encoding)[^]*"code":"internal_error"/);
  }
  await cancelled.promise;
  assert.match(
    error.mock.calls.slice(0, 2).map(({ arguments: [thrown] }) => thrown).join(),
    /: broken,.* must answer with a Response/,
  );
  error.mock.restore();
});

test("createNodeListener() sends no Content-Length with 204 and 304, which would be wrong there (RFC 9110 §8.6)", async () => {
  const listener = createNodeListener(createPetstore({ keys: [KEY] }));
  for (const [line, status, ...fields] of [["OPTIONS /v1/pets", 204], ["GET /v1/pets", 304, "If-None-Match: *"]]) {
    const received = await exchange(listener, head(String(line), ...WITH_KEY, ...fields.map(String)));
    assert.match(received, RegExp(`^HTTP/1\\.1 ${status} (?![^]*content-length)[^]*\r\n\r\n$`, "i"));
  }
});

test("createNodeListener() sends Content-Length: 0 with a Response that has no body, such as a redirect", async () => {
  for (const status of [200, 205, 303]) {
    const listener = createNodeListener(() => new Response(null, { status }));
    const received = await exchange(listener, head("GET /", "Host: x"));
    assert.match(received, RegExp(`^HTTP/1\\.1 ${status} [^]*\r\ncontent-length: 0\r\n[^]*\r\n\r\n$`, "i"));
    assert.doesNotMatch(received, /transfer-encoding/i);
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
  const readers: [keys: ApiKeys, framed: string, status: number][] = [
    [readPart, whole, 413],
    [readPart, chunks, 413],
    // On node:http of Deno 2.9 a long body that nothing has read keeps its connection, so the petstore reads a part of chunks.
    [[KEY], chunks, 413],
  ];
  // All run at once, because the rest of a body is discarded a second after the response.
  await Promise.all(readers.map(async ([keys, framed, status]) => {
    const post = ["POST /v1/pets HTTP/1.1", ...WITH_KEY, framed].join("\r\n");
    const listener = createNodeListener(createPetstore({ keys }));
    const received = await exchange(listener, post + head("GET /v1/pets", ...WITH_KEY));
    assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`, "HTTP/1.1 200"]);
  }));
});

/** Sends a request for the orders and one for the pets on one connection, with `<status>` in place of each head that comes back. */
async function askTwice(
  handleStoreOrders: () => Response,
  { method = "GET", onError = () => {} }: { method?: string; onError?: (info: ErrorInfo) => void } = {},
): Promise<string> {
  const listener = createNodeListener(createPetstore({ keys: [KEY], handleStoreOrders, onError }));
  const orders = [`${method} /v1/store/orders HTTP/1.1`, ...WITH_KEY, "", ""].join("\r\n");
  const received = await exchange(listener, orders + head("GET /v1/pets", ...WITH_KEY));
  return received.replaceAll(/HTTP\/1\.1 (\d+) [^]*?\r\n\r\n/g, "<$1>");
}

test("createNodeListener() cancels the body of a Response to HEAD, and sends no length of a body that is not there", async () => {
  const cancelled = Promise.withResolvers<void>();
  const streamed = () => new Response(new ReadableStream({ cancel: cancelled.resolve }));
  assert.match(await exchange(createNodeListener(streamed), head("HEAD /", "Host: x")), /^HTTP\/1\.1 200 /);
  await cancelled.promise;
  for (const status of [200, 204]) {
    const received = await exchange(createNodeListener(bodyless(status)), head("GET /", "Host: x"));
    assert.doesNotMatch(received, /content-length: 5/i);
  }
});

function bodyless(status: number): () => Response {
  return () => new Response(null, { status, headers: { "content-length": "5" } });
}

function hello(...headers: [string, string][]): () => Response {
  return () => new Response("hello", { headers });
}

/** Responses whose fields say something else about the body than the host that sends it, and what is sent of the body. */
const MISFRAMED: Record<string, [answer: () => Response, sent: RegExp]> = {
  "a length without a body": [bodyless(200), /^<200><200>\[\]$/],
  "a length with 204": [bodyless(204), /^<204><200>\[\]$/],
  // Where the first piece is too long already, the client gets a 500; otherwise the response is broken off.
  "a longer body": [
    hello(["content-length", "3"]),
    /^(<200>h?e?l?|<500>\{"code":"internal_error",[^}]*\}<200>\[\])?$/,
  ],
  "a coding and a length": [
    hello(["transfer-encoding", "gzip, chunked"], ["content-length", "5"]),
    /^<200>(5\r\n)?hello(\r\n0\r\n\r\n)?<200>\[\]$/,
  ],
  "an upgrade": [hello(["connection", "upgrade"], ["upgrade", "h2c"]), /^<200>5\r\nhello\r\n0\r\n\r\n<200>\[\]$/],
};

for (const [what, [answer, sent]] of Object.entries(MISFRAMED)) {
  test(`on node:http a response with ${what} takes nothing of the next one of its connection`, async () => {
    assert.match(await askTwice(answer), sent);
    assert.match(await askTwice(answer, { method: "HEAD" }), /^<20\d><200>\[\]$/);
  });
}

/** A body of these pieces, which come one by one. An Error in their place is its failure. */
function bodyOf(...pieces: unknown[]): ReadableStream {
  const left = [...pieces];
  return new ReadableStream({
    async pull(controller) {
      if (left.length < pieces.length) await new Promise((resolve) => setTimeout(resolve));
      const piece = left.shift();
      if (piece instanceof Error) controller.error(piece);
      else if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  }, { highWaterMark: 0 });
}

const BYTES = new TextEncoder().encode("1234"), BROKEN = new Error("broken");

/** Bodies with a Content-Length of 8 that cannot be sent, what a client gets, and what the app is told. */
const FAILING: [what: string, body: () => ReadableStream, sent: RegExp, told: RegExp][] = [
  ["fails before its first byte", () => bodyOf(BROKEN), /^<500>\{.*\}<200>\[\]$/, /^Error: broken$/],
  ["fails midway", () => bodyOf(BYTES, BROKEN), /^<200>1234$/, /^Error: broken$/],
  ["gives text", () => bodyOf(BYTES, "5678"), /^<200>1234$/, /must be Uint8Arrays$/],
  ["is too short", () => bodyOf(BYTES), /^<200>1234$/, /as long as its Content-Length$/],
];

for (const [what, body, sent, message] of FAILING) {
  test(`on node:http a body that ${what} gets a 500 or is broken off, and the app is told once`, async () => {
    const told: unknown[] = [];
    const answer = () => new Response(body(), { statusText: "Fine", headers: { "content-length": "8" } });
    assert.match(await askTwice(answer, { onError: ({ error }) => told.push(error) }), sent);
    assert.match(String(told), message);
  });
}

test("a body is sent whole by an adapter whose write() returns nothing, as those of cloud functions do", async () => {
  const listener = createNodeListener(() => new Response(bodyOf(BYTES, BYTES)));
  const adapted: Listener = (request, response) => {
    const write = response.write.bind(response) as (piece: unknown) => boolean;
    response.write = ((piece: unknown) => void write(piece)) as unknown as typeof response.write;
    listener(request, response);
  };
  assert.match(await exchange(adapted, head("GET /", "Host: x")), /1234[^]*1234\r\n0\r\n\r\n$/);
});
