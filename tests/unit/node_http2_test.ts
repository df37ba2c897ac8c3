/** createNodeListener() on `node:http2`: `:authority`, bodies without a length, and clients that leave. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type Http2Stream, type OutgoingHttpHeaders } from "node:http2";
import test from "node:test";
import { createNodeListener, type NodeListener } from "../../lib/hosts/node.ts";
import { createPetstore } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import { until } from "../support/until.ts";

const KEY = "pk_test";
const PET = '{"name":"Rex","categoryId":9007199254740993}';

function withHttp2(listener: NodeListener, use: (session: ClientHttp2Session) => Promise<void>): Promise<void> {
  return withListening(createServer(listener as Parameters<typeof createServer>[0]), async (port) => {
    const session = connect(`http://127.0.0.1:${port}`).on("error", () => {});
    await use(session).finally(() => session.destroy());
  });
}

async function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string) {
  const stream = session.request({ authorization: `Bearer ${KEY}`, ...headers }, { endStream: body === undefined });
  if (body !== undefined) {
    // Node announces the length of a body in one piece.
    stream.write(body.slice(0, 10));
    stream.end(body.slice(10));
  }
  const [head] = await once(stream, "response") as [Record<string, string | number>];
  return { head, text: (await Array.fromAsync(stream.setEncoding("utf8"))).join("") };
}

test("a petstore stores a pet over HTTP/2 without a Content-Length, and lists it", () =>
  withHttp2(createNodeListener(createPetstore({ keys: [KEY] })), async (session) => {
    const created = await ask(session, { ":method": "POST", ":path": "/v1/pets" }, PET);
    assert.deepEqual([created.head[":status"], created.head["location"]], [201, "/v1/pets/1"]);
    const { text } = await ask(session, { ":path": "/v1/pets" });
    assert.equal(text, `[${created.text}]`);
    const { head } = await ask(session, { ":method": "HEAD", ":path": "/v1/pets" });
    assert.deepEqual([head[":status"], Number(head["content-length"])], [200, text.length]);
    assert.match((await ask(session, { ":method": "POST", ":path": "/v1/pets" })).text, /it is empty/);
    assert.match((await ask(session, { ":path": "/v1/pets", authorization: "Bearer wrong" })).text, /invalid_api_key/);
  }));

test("over HTTP/2 a handle gets the host of :authority, and its Response loses the fields of a connection", () => {
  const headers = {
    "x-app": "kept",
    connection: "x-b",
    "keep-alive": "timeout=5",
    "transfer-encoding": "chunked",
    upgrade: "h",
  };
  const listener = createNodeListener(async (request) =>
    Response.json([request.url, await request.text()], { headers })
  );
  return withHttp2(listener, async (session) => {
    const { text, head } = await ask(
      session,
      { ":method": "POST", ":authority": "pets.example", ":path": "/a?b" },
      PET,
    );
    assert.deepEqual(JSON.parse(text), ["http://pets.example/a?b", PET]);
    assert.equal(head["x-app"], "kept");
    assert.deepEqual(Object.keys(head).filter((name) => /connection|keep-alive|transfer|upgrade/.test(name)), []);
  });
});

test("over HTTP/2 a body that fails midway, or is too short, resets the stream with an error", async () => {
  for (const failure of [new Error("broken"), undefined]) {
    let isBegun = false;
    const body = new ReadableStream({
      pull(controller) {
        if (isBegun) return failure ? controller.error(failure) : controller.close();
        controller.enqueue(new TextEncoder().encode("woof"));
        isBegun = true;
      },
    }, { highWaterMark: 0 });
    const listener = createNodeListener(() => new Response(body, { headers: { "content-length": "9" } }));
    await withHttp2(listener, async (session) => {
      const stream = session.request({ ":path": "/" }).resume();
      await assert.rejects(once(stream, "close"), /INTERNAL_ERROR/);
    });
  }
});

test("over HTTP/2 a client that leaves within its body while its key is looked up is no failure, and its body is not waited for", async () => {
  const came = Promise.withResolvers<void>(), left = Promise.withResolvers<void>(), told: unknown[] = [];
  const listener = createNodeListener(createPetstore({
    keys: (_, { signal }) =>
      left.promise.then(() => until("the signal is aborted", () => signal.aborted, 10)).then(() => true),
    onResponse: ({ status }) => told.push(status),
    onError: ({ error }) => told.push(error),
  }));
  const watched: NodeListener = (request, response) => {
    request.on("aborted", () => left.resolve());
    listener(request, response);
    came.resolve();
  };
  await withHttp2(watched, async (session) => {
    const head = { ":method": "POST", ":path": "/v1/pets", "content-length": 29 };
    const stream = session.request({ ...head, authorization: `Bearer ${KEY}` }).on("error", () => {});
    stream.write("{");
    await came.promise;
    stream.close(8);
    await until("the request is answered", () => told.length > 0, 10);
  });
  assert.deepEqual(told, [400]);
});

/** How a client leaves, with a stream that it does not read. */
const LEAVING: Record<string, (session: ClientHttp2Session, stream: Http2Stream) => void> = {
  "resets its streams": (_, stream) => stream.close(8),
  "ends the session": (session) => session.destroy(),
};

for (const [how, leave] of Object.entries(LEAVING)) {
  test(`over HTTP/2 a client that ${how} aborts the signals and cancels the bodies, which is no failure of the service`, async () => {
    let cancelled = 0, aborted = 0;
    const told: unknown[] = [];
    const petstore = createPetstore({
      keys: [KEY],
      handleStoreOrders({ signal }) {
        signal.addEventListener("abort", () => aborted++);
        const pull = (body: ReadableStreamDefaultController) => body.enqueue(new Uint8Array(30_000));
        return new Response(new ReadableStream({ pull, cancel: () => void cancelled++ }));
      },
      onError: ({ error }) => told.push(error),
    });
    await withHttp2(createNodeListener(petstore), async (session) => {
      const streams = Array.from({ length: 10 }, () => {
        const path = { ":path": "/v1/store/orders", authorization: `Bearer ${KEY}` };
        return session.request(path).on("error", () => {});
      });
      await Promise.all(streams.map((stream) => once(stream, "response")));
      for (const stream of streams) leave(session, stream);
      await until("all is cancelled", () => cancelled === 10 && aborted === 10, 10);
    });
    assert.deepEqual(told, []);
  });
}
