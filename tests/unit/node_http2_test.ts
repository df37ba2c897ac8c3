/** createNodeListener() on `node:http2`: `:authority`, bodies without a length, and clients that leave. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type OutgoingHttpHeaders } from "node:http2";
import test from "node:test";
import { createNodeListener, type NodeListener } from "../../lib/hosts/node.ts";
import { createPetstore } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";

const KEY = "pk_test";
const PET = '{"name":"Rex","categoryId":9007199254740993}';

function withHttp2(listener: NodeListener, use: (session: ClientHttp2Session) => Promise<void>): Promise<void> {
  return withListening(createServer(listener as Parameters<typeof createServer>[0]), async (port) => {
    const session = connect(`http://127.0.0.1:${port}`);
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
  let text = "";
  for await (const piece of stream.setEncoding("utf8")) text += piece;
  return { status: head[":status"], headers: head, text };
}

test("a petstore stores a pet over HTTP/2 without a Content-Length, and lists it", () =>
  withHttp2(createNodeListener(createPetstore({ keys: [KEY] })), async (session) => {
    const created = await ask(session, { ":method": "POST", ":path": "/v1/pets" }, PET);
    assert.deepEqual([created.status, created.headers["location"]], [201, "/v1/pets/1"]);
    const listed = await ask(session, { ":path": "/v1/pets" });
    assert.equal(listed.text, `[${created.text}]`);
    const head = await ask(session, { ":method": "HEAD", ":path": "/v1/pets" });
    assert.deepEqual([head.status, Number(head.headers["content-length"])], [200, listed.text.length]);
    for (const length of [{}, { "content-length": "0" }]) {
      const empty = await ask(session, { ":method": "POST", ":path": "/v1/pets", ...length });
      assert.deepEqual([empty.status, /it is empty/.test(empty.text)], [400, true]);
    }
    assert.equal((await ask(session, { ":path": "/v1/pets", authorization: "Bearer wrong" })).status, 401);
  }));

test("over HTTP/2 a handle gets the host of :authority and a body without a length", () => {
  const listener = createNodeListener(async (request) => Response.json([request.url, await request.text()]));
  return withHttp2(listener, async (session) => {
    const { text } = await ask(session, { ":method": "POST", ":authority": "pets.example", ":path": "/a?b" }, PET);
    assert.deepEqual(JSON.parse(text), ["http://pets.example/a?b", PET]);
  });
});

test("over HTTP/2 an app's Response loses the fields of its connection", () => {
  const headers = {
    "x-app": "kept",
    connection: "x-b",
    "keep-alive": "timeout=5",
    "proxy-connection": "keep-alive",
    "transfer-encoding": "chunked",
    upgrade: "h",
    "http2-settings": "AAA",
    te: "gzip",
  };
  return withHttp2(createNodeListener(() => new Response("woof", { headers })), async (session) => {
    const { status, text, headers } = await ask(session, { ":path": "/" });
    assert.deepEqual([status, text, headers["x-app"]], [200, "woof", "kept"]);
    assert.deepEqual(
      Object.keys(headers).filter((name) => /connection|keep-alive|transfer|upgrade|settings|^te$/.test(name)),
      [],
    );
  });
});

test("over HTTP/2 a body is cancelled if the app has closed its stream before", async () => {
  const cancelled = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const listener = createNodeListener(async () => {
    await closed.promise;
    const pull = (body: ReadableStreamDefaultController) => body.enqueue(new Uint8Array(65_536));
    return new Response(new ReadableStream({ pull, cancel: () => cancelled.resolve() }));
  });
  const closing: typeof listener = (request, response) => {
    listener(request, response);
    response.on("close", () => closed.resolve());
    response.destroy();
  };
  await withHttp2(closing, async (session) => {
    session.request({ ":path": "/" }).on("error", () => {}).resume();
    const signal = AbortSignal.timeout(10_000);
    await Promise.race([
      cancelled.promise,
      once(signal, "abort").then(() => assert.fail("The body was not cancelled")),
    ]);
  });
});

test("over HTTP/2 a body that fails midway, or is too short, resets the stream with an error", async () => {
  const ends: ((body: ReadableStreamDefaultController) => void)[] = [
    (body) => body.error(new Error("broken")),
    (body) => body.close(),
  ];
  for (const end of ends) {
    let isBegun = false;
    const pull = (body: ReadableStreamDefaultController) => {
      if (isBegun) return end(body);
      body.enqueue(new TextEncoder().encode("woof"));
      isBegun = true;
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const listener = createNodeListener(() => new Response(body, { headers: { "content-length": "9" } }));
    await withHttp2(listener, async (session) => {
      const stream = session.request({ ":path": "/" }).resume();
      const closed = once(stream, "close");
      await assert.rejects(closed, /INTERNAL_ERROR/);
    });
  }
});

test("a client that leaves an HTTP/2 stream aborts the signal and cancels the body", async () => {
  const aborted = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const listener = createNodeListener(({ signal }) => {
    signal.addEventListener("abort", () => aborted.resolve());
    return new Response(new ReadableStream({ cancel: () => cancelled.resolve() }));
  });
  await withHttp2(listener, async (session) => {
    const stream = session.request({ ":path": "/" });
    await once(stream, "response");
    stream.close(8);
    await Promise.all([aborted.promise, cancelled.promise]);
  });
});
