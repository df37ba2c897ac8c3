/**
 * Clients of createNodeListener() on `node:http` that leave or are slow, and apps that end a response themselves: signals are aborted, bodies
 * are cancelled or wait, and the process and other requests live on.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import { exchange, head, KEY, type Listener, WITH_KEY, withServer } from "../support/http/node_exchange.ts";
import { until } from "../support/until.ts";

const ORDERS = ["GET /v1/store/orders HTTP/1.1", ...WITH_KEY, "", ""].join("\r\n");

/** A listener of a petstore with this app, and the failures that the app was told. */
function orders(handleStoreOrders: NonNullable<PetstoreOptions["handleStoreOrders"]>) {
  const told: unknown[] = [];
  const onError: PetstoreOptions["onError"] = ({ error }) => told.push(error);
  return { listener: createNodeListener(createPetstore({ keys: [KEY], handleStoreOrders, onError })), told };
}

/** A body without an end, and whether it was cancelled. */
function endless() {
  const state = { isCancelled: false };
  const body = new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve));
      controller.enqueue(new Uint8Array(30_000));
    },
    cancel: () => void (state.isCancelled = true),
  });
  return { body, state };
}

/** A body that fails when its client leaves, as that of a `fetch` with this signal does. */
function failingWith(signal: AbortSignal): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(1));
      signal.addEventListener("abort", () => controller.error(signal.reason));
    },
  });
}

test("a client that leaves aborts the signals of all requests of its connection and ends their bodies, which is no failure", async () => {
  const left = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [], bodies: { isCancelled: boolean }[] = [];
  const { listener, told } = orders(async (request) => {
    const isSecond = signals.push(request.signal, request.clone().signal) === 4;
    // The second one begins to send its body while the first one waits, and the others answer after the client has left.
    if (isSecond) return new Response(failingWith(request.signal));
    await left.promise;
    const { body, state } = endless();
    bodies.push(state);
    return new Response(body);
  });
  await withServer(listener, async (open) => {
    const socket = open(ORDERS.repeat(3));
    await until("the handler was called", () => signals.length === 6, 10);
    socket.destroy();
    await until("the signals are aborted", () => signals.every(({ aborted }) => aborted), 10);
    left.resolve();
    await until("the bodies are cancelled", () => bodies.filter(({ isCancelled }) => isCancelled).length === 2, 10);
    assert.deepEqual(told, []);
  });
});

test("createNodeListener() aborts no signal after a whole response", async () => {
  const closed = Promise.withResolvers<AbortSignal>();
  await exchange((incoming, outgoing) => {
    createNodeListener(({ signal }) => {
      outgoing.on("close", () => setImmediate(() => closed.resolve(signal)));
      return new Response(`whole: ${signal.aborted}`);
    })(incoming, outgoing);
  }, head("GET /", "Host: x"));
  assert.equal((await closed.promise).aborted, false);
});

/** When a client leaves within its body, and how its body is framed. */
const LEAVING: [moment: "a verifier waits" | "the body is read", framed: string][] = [
  ["a verifier waits", "Content-Length: 29\r\n\r\n{"],
  ["the body is read", "Content-Length: 29\r\n\r\n{"],
  ["the body is read", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"],
];

test("a client that leaves within its body is no failure, and its body is not waited for", async () => {
  for (const [moment, framed] of LEAVING) {
    const left = Promise.withResolvers<void>(), told: unknown[] = [];
    const petstore = createPetstore({
      async keys(_, request) {
        // The signal is asked for when the client has left already.
        if (moment === "a verifier waits") await left.promise.then(() => assert.ok(request.signal.aborted));
        return true;
      },
      onResponse: ({ status }) => told.push(status),
      onError: ({ error }) => told.push(error),
    });
    const listener = createNodeListener(petstore);
    let socket: Socket;
    const leaving: Listener = (request, response) => {
      request.socket.on("close", () => left.resolve());
      listener(request, response);
      // By then, the petstore waits.
      setImmediate(() => socket.destroy());
    };
    await withServer(leaving, async (open) => {
      socket = open(["POST /v1/pets HTTP/1.1", ...WITH_KEY, framed].join("\r\n"));
      await until("the request is answered", () => told.length > 0, 10);
    });
    assert.deepEqual(told, [400], moment);
  }
});

test("a body is read only as fast as a client takes it, and then arrives whole", async () => {
  const size = 65_536, count = 300;
  let pulled = 0;
  const body = new ReadableStream({
    pull: (controller) => pulled++ < count ? controller.enqueue(new Uint8Array(size)) : controller.close(),
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
    assert.ok(pulled < count);
    assert.equal((await slow.bytes()).length, size * count);
  });
});

test("an app may end a response itself, before the handler has answered or within the body", async () => {
  let end = () => {}, pulled = 0, isCancelled = false;
  const body = new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve));
      if (++pulled === 3) end();
      // The response has ended, and is not finished when this piece comes.
      controller.enqueue(new Uint8Array(10));
    },
    cancel: () => void (isCancelled = true),
  });
  const answers = [() => (end(), new Response("late")), () => new Response(body)];
  for (const answer of answers) {
    const { listener } = orders(answer);
    const ending: Listener = (request, response) => {
      if (request.url === "/v1/store/orders") end = () => response.end("Timeout");
      listener(request, response);
    };
    const received = await exchange(ending, ORDERS + head("GET /v1/pets", ...WITH_KEY));
    assert.match(received, /Timeout[^]*\[\]$/);
  }
  await until("the body is cancelled", () => isCancelled, 10);
});

test("on Node a body of empty pieces without an end keeps no other request waiting", async () => {
  // They come at once, as from a source that never waits.
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array()) });
  const { listener } = orders(() => new Response(body));
  await withServer(listener, async (open) => {
    const waiting = open(ORDERS), other = open(head("GET /v1/pets", ...WITH_KEY));
    assert.match((await Array.fromAsync(other)).join(""), /\[\]$/);
    waiting.destroy();
  });
});

test("an app may answer with a form: HEAD is answered, and a client may leave in its middle, and the process lives", async () => {
  // Node writes a form into its stream to the end, and fails in the background if the stream was cancelled before.
  const answer = () => {
    const form = new FormData();
    // There are so many files that a client can leave before all are written.
    for (let i = 0; i < 60; i++) form.append("picture", new File(["x".repeat(50_000)], "rex.txt"));
    return new Response(form);
  };
  const { listener, told } = orders(answer);
  await withServer(listener, async (open) => {
    for (let i = 0; i < 5; i++) {
      const socket = open(i === 0 ? ORDERS.replace("GET", "HEAD") : ORDERS);
      await once(socket, "data");
      socket.destroy();
    }
    // What fails in the background would have ended the process before this response.
    const next = open(head("GET /v1/pets", ...WITH_KEY));
    assert.match((await Array.fromAsync(next)).join(""), /^HTTP\/1\.1 200 [^]*\[\]$/);
  });
  assert.deepEqual(told, []);
});
