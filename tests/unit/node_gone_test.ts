/** What ends with the client of createNodeListener(), on `node:http` and `node:http2`: signals are aborted, bodies are cancelled, and no app is told. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server, type Http2Stream } from "node:http2";
import { connect } from "node:net";
import test from "node:test";
import { createNodeListener, type NodeListener } from "../../lib/hosts/node.ts";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import { until } from "../support/until.ts";

const KEY = "pk_test";
const GET = `GET /v1/store/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;

/** A petstore whose app is told of failures, and what it was told. */
function petstoreListener(handleStoreOrders: PetstoreOptions["handleStoreOrders"]) {
  const told: unknown[] = [];
  const onError: PetstoreOptions["onError"] = ({ error }) => told.push(error);
  const listener = createNodeListener(createPetstore({ keys: [KEY], handleStoreOrders: handleStoreOrders!, onError }));
  return { listener, told };
}

function withHttp2(listener: NodeListener, use: (port: number) => Promise<void>): Promise<void> {
  return withListening(createHttp2Server(listener as Parameters<typeof createHttp2Server>[0]), use);
}

/** A body without an end, which notes its cancellation. */
function endlessBody(onCancel: () => void): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve));
      controller.enqueue(new Uint8Array(30_000));
    },
    cancel: onCancel,
  });
}

test("a client that leaves frees also what waits for an earlier response of its connection", async () => {
  const left = Promise.withResolvers<void>();
  let called = 0, cancelled = 0, aborted = 0;
  const { listener } = petstoreListener(async ({ signal }) => {
    const isSecond = ++called === 2;
    signal.addEventListener("abort", () => aborted++);
    // The second one begins to send its body while the first one waits, and the third one answers after the client has left.
    if (!isSecond) await left.promise;
    return new Response(endlessBody(() => cancelled++));
  });
  await withListening(createServer(listener), async (port) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(GET.repeat(3)));
    await until("the handler was called", () => called === 3, 10);
    socket.destroy();
    await until("the signals are aborted", () => aborted === 3, 10);
    left.resolve();
    await until("the bodies are cancelled", () => cancelled === 3, 10);
  });
});

test("over HTTP/2 the bodies of all streams are cancelled if the client leaves without reading them", async () => {
  let begun = 0, cancelled = 0;
  const { listener } = petstoreListener(() => new Response(endlessBody(() => cancelled++)));
  await withHttp2(listener, async (port) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`).on("error", () => {});
    for (let i = 1; i <= 10; i++) {
      const stream = session.request({ ":path": "/v1/store/orders", authorization: `Bearer ${KEY}` });
      stream.on("error", () => {}).on("response", () => begun++);
    }
    await until("the responses begin", () => begun === 10, 10);
    session.destroy();
    await until("the bodies are cancelled", () => cancelled === 10, 10);
  });
});

test("a body that fails because its client has left is no failure of the service", async () => {
  const failed = Promise.withResolvers<void>();
  const { listener, told } = petstoreListener(({ signal }) => {
    // The body of a `fetch` with this signal does the same.
    const start = (controller: ReadableStreamDefaultController) => {
      controller.enqueue(new Uint8Array(1));
      signal.addEventListener("abort", () => {
        controller.error(signal.reason);
        setImmediate(failed.resolve);
      });
    };
    return new Response(new ReadableStream({ start }));
  });
  await withListening(createServer(listener), async (port) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(GET));
    await once(socket, "data");
    socket.destroy();
    await failed.promise;
    assert.deepEqual(told, []);
  });
});

test("over HTTP/2 a response without a body to a stream that was reset is no failure of the service", async () => {
  const over = Promise.withResolvers<void>();
  let reset = () => {};
  const { listener, told } = petstoreListener(() => {
    reset();
    setImmediate(over.resolve);
    return new Response(null, { status: 204 });
  });
  const resettable: NodeListener = (request, response) => {
    reset = () => void (response.stream as unknown as Http2Stream).close(8);
    listener(request, response);
  };
  await withHttp2(resettable, async (port) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.request({ ":path": "/v1/store/orders", authorization: `Bearer ${KEY}` }).on("error", () => {});
    await over.promise;
    session.destroy();
    assert.deepEqual(told, []);
  });
});

test("a body is sent whole by an adapter whose write() returns nothing, as those of cloud functions do", async () => {
  const pieces = ["1234", "5678"].map((text) => new TextEncoder().encode(text));
  const { listener } = petstoreListener(() => new Response(ReadableStream.from(pieces)));
  const adapted = createServer((request, response) => {
    const write = response.write.bind(response) as (piece: unknown) => boolean;
    response.write = ((piece: unknown) => void write(piece)) as unknown as typeof response.write;
    listener(request, response);
  });
  await withListening(adapted, async (port) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(GET));
    socket.on("data", (piece) => received += piece);
    await until("the whole response", () => received.endsWith("0\r\n\r\n"), 10).finally(() => socket.destroy());
    assert.match(received, /1234[^]*5678/);
  });
});
