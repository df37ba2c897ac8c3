/** What createNodeListener() on `node:http` sends, and that the connection can be used afterwards. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage } from "node:http";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { type ApiKeys, createPetstore, type ErrorInfo, type PetstoreOptions } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import { exchange, framingsOf, head, KEY, WITH_KEY, withServer } from "../support/http/node_exchange.ts";

test("createNodeListener() keeps headers that were set before, except those of the response", async () => {
  const listener = createNodeListener(() => new Response("x", { headers: { "x-b": "response" } }));
  const received = await exchange((request, response) => {
    response.setHeader("x-a", "app").setHeader("x-b", "app");
    listener(request, response);
  }, head("GET /", "Host: x"));
  assert.match(received, /^x-a: app\r$/im);
  assert.match(received, /^x-b: response\r$/im);
});

test("createNodeListener() sends the bytes of a header as they are, and each cookie in a field of its own", async () => {
  const cookies = ["a=1; Path=/", "b=2; Expires=Thu, 01 Jan 2032 00:00:00 GMT"];
  const headers = new Headers(cookies.map((cookie): [string, string] => ["set-cookie", cookie]));
  headers.set("content-disposition", 'attachment; filename="h\u00fcnde"');
  const received = await exchange(
    createNodeListener(() => new Response("woof", { headers })),
    head("GET /", "Host: x"),
  );
  assert.match(received, /filename="h\u00fcnde"/);
  assert.deepEqual(received.match(/(?<=^set-cookie: ).*(?=\r$)/gim), cookies);
});

/** A body of three pieces that come one by one, with this end. */
function threePieces(end: (controller: ReadableStreamDefaultController) => void): ReadableStream {
  let left = 3;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve));
      if (left-- > 0) controller.enqueue(new TextEncoder().encode("1234"));
      else end(controller);
    },
  }, { highWaterMark: 0 });
}

test("createNodeListener() answers 500 for a handle that throws or returns no Response, and reports why", async (t) => {
  const error = t.mock.method(console, "error", () => {});
  for (const handle of [() => Promise.reject(new Error("broken")), () => undefined]) {
    const listener = createNodeListener(handle as () => Promise<Response>);
    const received = await exchange(listener, head("GET /", "Host: x"));
    assert.match(received, /^HTTP\/1\.1 500 [^]*"code":"internal_error"/);
  }
  const [first, second] = error.mock.calls.map(({ arguments: [thrown] }) => String(thrown));
  assert.equal(first, "Error: broken");
  assert.match(second ?? "", /must answer with a Response/);
  error.mock.restore();
});

test("createNodeListener() answers 500 for a Response that cannot be sent, with none of its headers, and cancels its body", async (t) => {
  const error = t.mock.method(console, "error", () => {});
  const cancelled = Promise.withResolvers<void>();
  const headers = { "content-encoding": "gzip", "x-odd": "a\x01b" };
  const response = new Response(new ReadableStream({ cancel: cancelled.resolve }), { headers });
  const received = await exchange(createNodeListener(() => response), head("GET /", "Host: x"));
  assert.match(received, /^HTTP\/1\.1 500 (?![^]*content-encoding)/);
  await cancelled.promise;
  error.mock.restore();
});

test("createNodeListener() can use a connection after a body that was read in part, by the petstore or by a verifier", async () => {
  const readsPart = async ({ body }: Request) => void await body?.getReader().read();
  const verifiers: [status: number, verify: (request: Request) => Promise<boolean>][] = [
    [401, (request) => readsPart(request).then(() => false)],
    [401, (request) => readsPart(request.clone()).then(() => false)],
    [401, (request) => readsPart(new Request(request)).then(() => false)],
    [413, (request) => readsPart(request.clone()).then(() => true)],
  ];
  const body = " ".repeat(300_000);
  const [whole, chunks] = framingsOf(body) as [[string, string], [string, string]];
  const requests = verifiers.flatMap(([status, verify]) => {
    const keys: ApiKeys = (_key, request) => request.method === "GET" || verify(request);
    return [whole, chunks].map((framing) => ({ status, keys: keys as ApiKeys, framing }));
  });
  // On node:http of Deno 2.9 a long body that nothing has read keeps its connection, so here the petstore reads a part.
  requests.push({ status: 413, keys: [KEY], framing: chunks });
  // All run at once, because the rest of a body is discarded a second after the response.
  await Promise.all(requests.map(async ({ status, keys, framing: [field, framed] }) => {
    const post = ["POST /v1/pets HTTP/1.1", ...WITH_KEY, field, "", ""].join("\r\n") + framed;
    const received = await exchange(
      createNodeListener(createPetstore({ keys })),
      post + head("GET /v1/pets", ...WITH_KEY),
    );
    assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`, "HTTP/1.1 200"], field);
  }));
});

test("createNodeListener() lets an app read a body to its end after the response was sent", async () => {
  const body = "x".repeat(300_000);
  let text: Promise<string> | undefined;
  const listener = createNodeListener((request) => {
    text = request.text();
    return new Response("seen");
  });
  await withServer(listener, async (open) => {
    const socket = open(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 1000)}`);
    await once(socket, "data");
    socket.write(body.slice(1000));
    assert.equal(await text, body);
    socket.destroy();
  });
});

test("createNodeListener() closes the connection after a request with Upgrade, which it does not carry out", async () => {
  const received = await exchange(
    createNodeListener(createPetstore({ keys: [KEY] })),
    ["GET /v1/pets HTTP/1.1", ...WITH_KEY, "Connection: Upgrade", "Upgrade: h2c", "", ""].join("\r\n"),
  );
  assert.match(received, /^HTTP\/1\.1 200 /);
  assert.match(received, /\r\nconnection: close\r\n/i);
});

test("createNodeListener() sends no byte of a body beyond its Content-Length", async () => {
  const body = threePieces((controller) => controller.close());
  const listener = createNodeListener(() => new Response(body, { headers: { "content-length": "6" } }));
  await withServer(listener, async (open) => {
    // A client of HTTP would hide what comes after the length.
    const socket = open(head("GET /", "Host: x")).on("error", () => {});
    let received = "";
    socket.on("data", (piece) => received += piece);
    await new Promise((resolve) => socket.on("close", resolve));
    assert.match(received, /^HTTP\/1\.1 200 [^]*\r\n\r\n\d{0,6}$/);
  });
});

/** Responses whose fields say something else about the body than the host that sends it. */
const MISFRAMED: Record<string, () => Response> = {
  "a length without a body": () => new Response(null, { headers: { "content-length": "5" } }),
  "a length with 205": () => new Response(null, { status: 205, headers: { "content-length": "5" } }),
  "a length with 204": () => new Response(null, { status: 204, headers: { "content-length": "5" } }),
  "a length that is no number": () => new Response("hello", { headers: { "content-length": "five" } }),
  "two lengths": () => new Response("hello", { headers: [["content-length", "5"], ["content-length", "5"]] }),
  "a longer body": () => new Response("hello", { headers: { "content-length": "3" } }),
  "a shorter body": () => new Response("hello", { headers: { "content-length": "9" } }),
  "no coding": () => new Response("hello", { headers: { "transfer-encoding": "identity" } }),
  "a coding": () => new Response("hello", { headers: { "transfer-encoding": "gzip" } }),
  "a coding and a length": () =>
    new Response("hello", { headers: { "transfer-encoding": "gzip, chunked", "content-length": "5" } }),
  "an upgrade": () => new Response("hello", { headers: { connection: "upgrade", upgrade: "h2c" } }),
  "a connection that is kept": () => new Response("hello", { headers: { connection: "keep-alive, x-a" } }),
};

for (const [what, answer] of Object.entries(MISFRAMED)) {
  test(`on node:http a response with ${what} takes nothing of the next one of its connection`, async () => {
    await onOneConnection({ handleStoreOrders: answer }, async (read) => {
      for (const method of ["GET", "HEAD"]) {
        // A response that was broken off is seen as such, and the next request gets another connection.
        await read("/v1/store/orders", method).catch((error) => assert.equal(error.code, "ECONNRESET"));
        assert.equal(await read("/v1/pets"), "[]");
      }
    });
  });
}

test("on node:http a body that is no true stream ends no process, whatever its reader returns", async () => {
  const readers = [
    { read: () => Promise.resolve(), cancel() {} },
    { read: () => Promise.reject(new Error("broken")), cancel: () => assert.fail("cancel") },
    { read: () => new Promise(() => {}), cancel: () => undefined },
  ];
  for (const reader of readers) {
    const answer = () => {
      const response = new Response("abc");
      response.body!.getReader = () => reader as never;
      return response;
    };
    await onOneConnection({ handleStoreOrders: answer, onError: () => {} }, async (read, origin) => {
      const signal = AbortSignal.timeout(50), headers = { authorization: `Bearer ${KEY}` };
      await fetch(`${origin}/v1/store/orders`, { headers, signal }).then((response) => response.text()).catch(() => {});
      // What is thrown in the background would have ended the process before this response.
      assert.equal(await read("/v1/pets"), "[]");
    });
  }
});

test("on node:http a body that gives text, or not as many bytes as announced, is broken off, and the app is told", async () => {
  const told: string[] = [], headers = { "content-length": "16" };
  const lastPieces = ["1234", new Uint8Array(5), new Uint8Array(3)];
  const addLast = (body: ReadableStreamDefaultController) => (body.enqueue(lastPieces[told.length]), body.close());
  const handleStoreOrders = () => new Response(threePieces(addLast), { headers });
  const onError = ({ error }: ErrorInfo) => told.push(String(error));
  await onOneConnection({ handleStoreOrders, onError }, async (read) => {
    for (let i = 1; i <= lastPieces.length; i++) {
      await assert.rejects(read("/v1/store/orders"), { code: "ECONNRESET" });
      assert.equal(told.length, i);
    }
    assert.match(
      told.join(),
      /body must be Uint8Arrays,.* as long as its Content-Length,.* as long as its Content-Length$/,
    );
    assert.equal(await read("/v1/pets"), "[]");
  });
});

/** Serves a petstore while `use` runs. `read` resolves to the text of a response, and uses one connection as long as it is kept. */
function onOneConnection(
  options: Partial<PetstoreOptions>,
  use: (read: (path: string, method?: string) => Promise<string>, origin: string) => Promise<void>,
): Promise<void> {
  const petstore = createPetstore({ keys: [KEY], ...options });
  return withListening(createServer(createNodeListener(petstore)), async (port) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 }), headers = { authorization: `Bearer ${KEY}` };
    const read = async (path: string, method = "GET") => {
      const request = get({ agent, host: "127.0.0.1", port, method, path, headers, timeout: 5_000 });
      request.on("timeout", () => request.destroy(new Error("There was no whole response")));
      const [response] = await once(request, "response") as [IncomingMessage];
      return (await Array.fromAsync(response.setEncoding("utf8"))).join("");
    };
    await use(read, `http://127.0.0.1:${port}`).finally(() => agent.destroy());
  });
}
