/**
 * Clients of createNodeListener() on `node:http` that leave, and apps that end a response
 * themselves: signals are aborted, and the process and other requests live on.
 */

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createPetstore } from "../../mod.ts";
import { openApp, type OrdersHandler } from "../support/app.ts";
import { exchange, head, type Listener, WITH_KEY, withServer } from "../support/http/node_exchange.ts";
import { until } from "../support/until.ts";

const ORDERS = ["GET /v1/store/orders HTTP/1.1", ...WITH_KEY, "", ""].join("\r\n");

/** A listener of a petstore with this app, the failures that the app was told, and the statuses of the responses. */
function orders(answer: OrdersHandler) {
  const { petstore, told, observed } = openApp(answer);
  return { listener: createNodeListener(petstore), told, observed };
}

test("a client that leaves aborts the signals of all requests of its connection, which is no failure", async () => {
  const left = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const { listener, told, observed } = orders(async (request) => {
    signals.push(request.signal, request.clone().signal);
    await left.promise;
    return new Response("late");
  });
  await withServer(listener, async (open) => {
    const socket = open(ORDERS.repeat(3));
    await until("the handler was called", () => signals.length === 6, 10);
    socket.destroy();
    await until("the signals are aborted", () => signals.every(({ aborted }) => aborted), 10);
    left.resolve();
    await until("the requests are over", () => observed.length === 3, 10);
    assert.deepEqual([observed, told], [[400, 400, 400], []]);
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

const LENGTH = "Content-Length: 29\r\n\r\n{";
const CHUNKS = "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n";

/** When a client leaves within its body, and how its body is framed. */
const LEAVING = [
  { whileVerifying: true, framed: LENGTH },
  { whileVerifying: false, framed: LENGTH },
  { whileVerifying: false, framed: CHUNKS },
];

test("a client that leaves within its body is no failure, and its body is not waited for", async () => {
  for (const { whileVerifying, framed } of LEAVING) {
    const left = Promise.withResolvers<void>();
    const told: unknown[] = [];
    const petstore = createPetstore({
      async keys(_, request) {
        // The signal is asked for when the client has left already.
        if (whileVerifying) await left.promise.then(() => assert.ok(request.signal.aborted));
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
    assert.deepEqual(told, [400]);
  }
});

test("an app may end a response itself, before the handler has answered", async () => {
  let end = () => {};
  const { listener, told } = orders(() => (end(), new Response("late")));
  const ending: Listener = (request, response) => {
    if (request.url === "/v1/store/orders") end = () => response.end("Timeout");
    listener(request, response);
  };
  const received = await exchange(ending, ORDERS + head("GET /v1/pets", ...WITH_KEY));
  assert.match(received, /Timeout[^]*\[\]$/);
  assert.deepEqual(told, []);
});

test("a response that an app has begun and not ended is broken off", async () => {
  const { listener, told } = orders(() => new Response("late"));
  const beginning: Listener = (request, response) => {
    response.write("part");
    listener(request, response);
  };
  assert.doesNotMatch(await exchange(beginning, ORDERS), /late|\r\n0\r\n/);
  assert.equal(told.length, 1);
});
