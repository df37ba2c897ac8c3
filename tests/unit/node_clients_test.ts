/**
 * Clients of createNodeListener() on `node:http` that leave or are slow, and apps that end a response themselves: signals are aborted, bodies
 * are cancelled or wait, and nothing else is waited for.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { NodeContext } from "../../lib/hosts/node_context.ts";
import { createPetstore, type ErrorInfo } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import { exchange, head, KEY, WITH_KEY, withServer } from "../support/http/node_exchange.ts";
import { until } from "../support/until.ts";

test("createNodeListener() aborts the signals of a request and of its clone when the client leaves", async () => {
  const aborted = Promise.withResolvers<unknown>();
  let leave = () => {};
  const listener = createNodeListener(async (request) => {
    const signals = [request.signal, request.clone().signal];
    leave();
    aborted.resolve(Promise.all(signals.map((signal) => once(signal, "abort"))));
    await aborted.promise;
    return new Response();
  });
  await withServer(listener, async (open) => {
    const socket = open(head("GET /", "Host: x"));
    leave = () => socket.destroy();
    await aborted.promise;
  });
});

test("createNodeListener() aborts no signal after a whole response", async () => {
  const closed = Promise.withResolvers<AbortSignal[]>();
  await exchange((incoming, outgoing) => {
    createNodeListener((request) => {
      const { signal } = request;
      outgoing.on("close", () => setImmediate(() => closed.resolve([signal, request.signal])));
      return Promise.resolve(new Response(`whole: ${signal.aborted}`));
    })(incoming, outgoing);
  }, head("GET /", "Host: x", "Connection: close"));
  const [first, again] = await closed.promise;
  assert.equal(first, again);
  assert.equal(first?.aborted, false);
});

test("createNodeListener() sends a body that fills the buffer of its connection again and again", async () => {
  const pieces = Array.from({ length: 5 }, () => new Uint8Array(4_000_000));
  const listener = createNodeListener(() => new Response(ReadableStream.from(pieces)));
  await withListening(createServer(listener), async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(10_000) });
    assert.equal((await response.bytes()).length, 20_000_000);
  });
});

test("createNodeListener() cancels a body whose client has left before the Response was made", async () => {
  const begun = Promise.withResolvers<IncomingMessage>();
  const made = Promise.withResolvers<Response>();
  const cancelled = Promise.withResolvers<void>();
  const listener = createNodeListener(() => made.promise);
  await withServer((request, response) => {
    response.on("close", () => made.resolve(new Response(new ReadableStream({ cancel: () => cancelled.resolve() }))));
    listener(request, response);
    begun.resolve(request);
  }, async (open) => {
    const socket = open(head("GET /", "Host: x"));
    await begun.promise;
    socket.destroy();
    await cancelled.promise;
  });
});

test("a body rejects if its client leaves halfway, and resolves if the client leaves after it", async () => {
  for (const [sent, isWhole] of [["{}", true], ["{", false]] as const) {
    const read = Promise.withResolvers<boolean>();
    let leave = () => {};
    await withServer((request, response) => {
      new NodeContext(request, response).readBody().then(() => read.resolve(true), () => read.resolve(false));
      if (isWhole) read.promise.then(leave);
      else leave();
    }, async (open) => {
      const socket = open(`${head("POST /v1/pets", "Host: x", "Content-Length: 2")}${sent}`);
      leave = () => socket.destroy();
      assert.equal(await read.promise, isWhole);
    });
  }
});

test("on Node a request whose client has gone while a verifier waits has an aborted signal, and its body is not waited for", async () => {
  const left = Promise.withResolvers<void>(), told: unknown[] = [];
  const petstore = createPetstore({
    async keys(_, request) {
      await left.promise;
      told.push(request.signal.aborted);
      return true;
    },
    onResponse: ({ status }) => told.push(status),
    onError: ({ error }) => told.push(error),
  });
  const listener = createNodeListener(petstore);
  let leave = () => {};
  await withServer((request, response) => {
    request.socket.on("close", () => left.resolve());
    listener(request, response);
    leave();
  }, async (open) => {
    const socket = open(head("POST /v1/pets", ...WITH_KEY, "Content-Length: 29") + "{");
    leave = () => socket.destroy();
    await until("the request is answered", () => told.length > 1, 10);
  });
  // That the body has ended early is no failure of the service.
  assert.deepEqual(told, [true, 400]);
});

test("on Node an app may end a response that waits for an earlier one, before the handler has answered", async () => {
  const listener = createNodeListener(async (request) => {
    await new Promise((resolve) => setTimeout(resolve, request.url.endsWith("/first") ? 140 : 60));
    return new Response(new TextEncoder().encode("hi"));
  });
  const server = createServer((request, response) => {
    if (request.url === "/second") setTimeout(() => response.end("Timeout"), 20);
    listener(request, response);
  });
  await withListening(server, async (port) => {
    const socket = connect(port, "127.0.0.1");
    socket.write(["/first", "/second"].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
    let received = "";
    socket.setEncoding("utf8").on("data", (piece) => received += piece);
    await until("both responses", () => received.includes("Timeout"), 10);
    socket.destroy();
    assert.match(received, /hi[^]*Timeout/);
    assert.equal((await fetch(`http://127.0.0.1:${port}/third`)).status, 200);
  });
});

test("on Node a body is read only as fast as the client takes it", async () => {
  const piece = new Uint8Array(65_536);
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(piece);
    },
  });
  await withListening(createServer(createNodeListener(() => new Response(body))), async (port) => {
    const slow = await fetch(`http://127.0.0.1:${port}/`);
    let before = -1;
    await until("the body waits for the client", async () => {
      const isWaiting = pulled === before;
      before = pulled;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return isWaiting;
    }, 10);
    await slow.body!.cancel();
  });
});

test("an app may answer with a form: HEAD is answered, and a client may leave in its middle, and the process lives", async () => {
  // Node writes a form into its stream to the end, and fails in the background if the stream was cancelled before.
  const makeForm = () => {
    const form = new FormData();
    form.set("name", "Rex");
    // There are so many files that a client can leave before all are written.
    for (let i = 0; i < 60; i++) form.append("picture", new File(["x".repeat(50_000)], "rex.txt"));
    return form;
  };
  // Nothing tells that this stream is that of a form.
  const type = { "content-type": "text/plain" };
  const answers = [
    () => new Response(makeForm()),
    () => new Response(new Response(makeForm()).body, { headers: type }),
  ];
  const headers = { authorization: `Bearer ${KEY}`, origin: "https://app.example" }, told: unknown[] = [];
  for (const [i, handleStoreOrders] of answers.entries()) {
    const options = { keys: [KEY], handleStoreOrders, onError: (info: ErrorInfo) => told.push(info) };
    const petstore = createPetstore({ ...options, ...(i > 0 && { cors: { origins: ["*"] } }) });
    await withListening(createServer(createNodeListener(petstore)), async (port) => {
      const url = `http://127.0.0.1:${port}/v1`;
      for (const send of [petstore.handle, fetch]) {
        for (const method of ["GET", "HEAD"]) {
          const response = await send(new Request(`${url}/store/orders`, { method, headers }));
          assert.equal(response.status, 200);
          await response.text();
        }
      }
      for (let i = 0; i < 5; i++) {
        const gone = new AbortController();
        const { body } = await fetch(`${url}/store/orders`, { headers, signal: gone.signal });
        const reader = body!.getReader();
        await reader.read();
        gone.abort();
        await assert.rejects(reader.read());
      }
      // What fails in the background would have ended the process before this response.
      const response = await fetch(`${url}/pets`, { headers });
      assert.deepEqual([response.status, await response.text()], [200, "[]"]);
    });
  }
  assert.deepEqual(told, []);
});

test("on Node a form that is not sent is left alone, because one with a large file is written for longer than any delay", async () => {
  const cancelled: string[] = [];
  // The form comes first, so that it would be cancelled first.
  for (const type of ["Multipart/Form-Data; boundary=x", "text/plain"]) {
    const body = new ReadableStream({ cancel: () => void cancelled.push(type) });
    const handleStoreOrders = () => new Response(body, { headers: { "content-type": type } });
    const { handle } = createPetstore({ keys: [KEY], handleStoreOrders });
    const headers = { authorization: `Bearer ${KEY}` };
    await handle(new Request("http://localhost/v1/store/orders", { method: "HEAD", headers }));
  }
  await until("the text is cancelled", () => cancelled.includes("text/plain"));
  assert.equal(cancelled.length, "Deno" in globalThis || "Bun" in globalThis ? 2 : 1);
});
