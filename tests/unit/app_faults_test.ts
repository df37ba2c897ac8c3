/** What an app may do wrong in its handlers, streams, stores and requests. It harms neither the process nor another request. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { runInNewContext } from "node:vm";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createMemoryStore } from "../../lib/stores/memory/memory_store.ts";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import { KEY, petRequest, REX } from "../support/pet_requests.ts";
import { until } from "../support/until.ts";

const HEADERS = { authorization: `Bearer ${KEY}` };

function onNode<T>(options: Partial<PetstoreOptions>, use: (base: string) => Promise<T>): Promise<T> {
  const petstore = createPetstore({ keys: [KEY], onError: () => {}, ...options });
  return withListening(createServer(createNodeListener(petstore)), (port) => use(`http://127.0.0.1:${port}/v1`));
}

/** A stream without an end, and how often it was cancelled. */
function endless(piece: Uint8Array) {
  const counts = { cancelled: 0 };
  const body = new ReadableStream({
    async pull(controller) {
      // An empty piece comes at once, as from a source that never waits.
      if (piece.length > 0) await new Promise((resolve) => setTimeout(resolve));
      controller.enqueue(piece);
    },
    cancel: () => void counts.cancelled++,
  });
  return { body, counts };
}

test("on Node a body of empty pieces without an end keeps no other request waiting", async () => {
  const { body, counts } = endless(new Uint8Array());
  await onNode({ handleStoreOrders: () => new Response(body) }, async (base) => {
    const gone = new AbortController();
    // Not every host sends the head before there is a byte.
    const waiting = fetch(`${base}/store/orders`, { headers: HEADERS, signal: gone.signal }).catch(() => {});
    const response = await fetch(`${base}/pets`, { headers: HEADERS });
    assert.equal(await response.text(), "[]");
    gone.abort();
    await waiting;
    await until("the body is cancelled", () => counts.cancelled === 1);
  });
});

test("on Node a body that fails before its first byte gets the client a 500, and the app is told once", async () => {
  const failures: Record<string, () => ReadableStream<Uint8Array<ArrayBuffer>>> = {
    "at once": () => new ReadableStream({ pull: (stream) => stream.error(new Error("broken")) }),
    "in a later microtask": () =>
      new ReadableStream({
        pull: async () => {
          await Promise.resolve();
          throw new Error("broken");
        },
      }),
  };
  for (const [when, makeBody] of Object.entries(failures)) {
    const told: unknown[] = [];
    const headers = { "content-length": "2", "x-app": "1" };
    const handleStoreOrders = () => new Response(makeBody(), { statusText: "Fine", headers });
    await onNode({ handleStoreOrders, onError: ({ error }) => told.push(error) }, async (base) => {
      const { status, headers } = await fetch(`${base}/store/orders`, { headers: HEADERS });
      assert.deepEqual([status, headers.get("x-app"), String(told)], [500, null, "Error: broken"], when);
    });
  }
});

test("an upstream is told that the client has left, even if its response says that it is a form", async () => {
  let closed = 0;
  const upstream = createServer((_, response) => {
    response.on("close", () => closed++);
    response.writeHead(200, { "content-type": "multipart/form-data; boundary=----formdata-undici-1" }).write("x");
  });
  await withListening(upstream, async (port) => {
    const answer = () => fetch(`http://127.0.0.1:${port}/`);
    await onNode({ handleStoreOrders: answer }, async (base) => {
      const gone = new AbortController();
      await fetch(`${base}/store/orders`, { headers: HEADERS, signal: gone.signal });
      gone.abort();
      await until("the connection to the upstream is closed", () => closed === 1);
    });
  });
});

test("a handler that changes its caller changes no right of later requests", async () => {
  const { handle } = createPetstore({
    keys: [{ key: KEY, readOnly: true }],
    handleStoreOrders(_, caller) {
      Object.assign(caller, { readOnly: false });
      return new Response("[]");
    },
    onError: () => {},
  });
  assert.equal((await handle(petRequest("/v1/store/orders"))).status, 500);
  assert.equal((await handle(petRequest("/v1/pets", { method: "POST", body: REX }))).status, 403);
});

test("a body whose stream gives anything but bytes is a fault of the app", async () => {
  for (const wrong of ["text", "", null, 0, {}, new ArrayBuffer(2), new Uint16Array(2)]) {
    const told: unknown[] = [];
    const { handle } = createPetstore({ keys: [KEY], onError: ({ error }) => told.push(error) });
    const pieces: unknown[] = [new TextEncoder().encode(REX), wrong];
    const body = new ReadableStream({
      pull: (controller) => pieces.length > 0 ? controller.enqueue(pieces.shift()) : controller.close(),
    });
    assert.equal((await handle(petRequest("/v1/pets", { method: "POST", body }))).status, 500, String(wrong));
    assert.equal(told.length, 1);
  }
});

test("a body may come in pieces of another realm", async () => {
  const bytes: Uint8Array = runInNewContext("Uint8Array").from(new TextEncoder().encode(REX));
  const body = new ReadableStream({ start: (controller) => (controller.enqueue(bytes), controller.close()) });
  const { handle } = createPetstore({ keys: [KEY] });
  assert.equal((await handle(petRequest("/v1/pets", { method: "POST", body }))).status, 201);
});

test("a store that returns no id for a new pet is a fault of the app", async () => {
  for (const id of [undefined, {}, 1, "1", 0n, -1n, 2n ** 53n]) {
    const told: unknown[] = [];
    const store = Object.assign(createMemoryStore(), { create: () => id as bigint });
    const { handle } = createPetstore({ keys: [KEY], store, onError: ({ error }) => told.push(error) });
    // On Deno an app gets a copy of such a request, and after the body was read there is none of the body.
    const create = petRequest("/v1/pets", { method: "POST", headers: { upgrade: "websocket" }, body: REX });
    assert.equal((await handle(create)).status, 500);
    assert.match(String(told), /the id of a new pet as a bigint from 1 to 2\^53 - 1$/);
  }
});

test("counters of a store that come as promises, as from another thread, are not used, and their failure ends no process", async () => {
  const store = Object.assign(createMemoryStore(), {
    changes: () => Promise.reject(new Error("no counters")) as never,
  });
  const { handle } = createPetstore({ keys: [KEY], store, onError: ({ error }) => assert.fail(String(error)) });
  // The second response would be kept.
  for (const expected of ["[]", "[]", "[]", `[{"id":1,"name":"Rex"`]) {
    if (expected !== "[]") await store.create({ name: "Rex", categoryId: 7n, status: "available" });
    const text = await (await handle(petRequest("/v1/pets"))).text();
    assert.ok(text.startsWith(expected), text);
    // A rejection that nothing handles is told at the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
});

test("on Node an app may end a response while its body is sent: the body is cancelled, and the process lives", async () => {
  const piece = new Uint8Array(15_000);
  const { body, counts } = endless(piece);
  const listener = createNodeListener(createPetstore({ keys: [KEY], handleStoreOrders: () => new Response(body) }));
  const server = createServer((request, response) => {
    if (request.url!.endsWith("/orders")) setTimeout(() => response.end("Timeout"), 100);
    listener(request, response);
  });
  await withListening(server, async (port) => {
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}/v1${path}`, { headers: HEADERS });
    // The client reads nothing, so the response has ended and is not finished when the next piece comes.
    const slow = await ask("/store/orders");
    await until("the body is cancelled", () => counts.cancelled === 1);
    assert.equal(await (await ask("/pets")).text(), "[]");
    await slow.body!.cancel();
  });
});
