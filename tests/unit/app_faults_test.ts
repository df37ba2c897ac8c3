/**
 * What an app's handler may return or do, also with what it has got from an upstream: each request
 * gets an answer, the process lives, and no other request is harmed.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import process from "node:process";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createMemoryStore } from "../../lib/stores/memory/memory_store.ts";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import { KEY, petRequest, REX } from "../support/pet_requests.ts";
import { whileReplaced } from "../support/while_replaced.ts";

type OrdersHandler = NonNullable<PetstoreOptions["handleStoreOrders"]>;

const ORDERS = "/v1/store/orders";

/** A petstore with this handler, the failures that the app was told, and the statuses of the responses. */
function open(handleStoreOrders: OrdersHandler, options: Partial<PetstoreOptions> = {}) {
  const told: unknown[] = [], observed: number[] = [];
  const onError: PetstoreOptions["onError"] = ({ error }) => told.push(error);
  const onResponse: PetstoreOptions["onResponse"] = ({ status }) => observed.push(status);
  const petstore = createPetstore({ keys: [KEY], handleStoreOrders, onError, onResponse, ...options });
  const ask = (path = ORDERS, init: RequestInit = {}) => petstore.handle(petRequest(path, init));
  return { petstore, ask, told, observed };
}

/** Asks by GET and HEAD, with and without CORS, `handle` and a server on node:http. */
async function askEverywhere(handler: OrdersHandler, check: (status: number, told: unknown[]) => void): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, origin: "https://app.example" };
  for (const options of [{}, { cors: { origins: ["*"] } }]) {
    const { petstore, ask, told, observed } = open(handler, options);
    await withListening(createServer(createNodeListener(petstore)), async (port) => {
      for (const method of ["GET", "HEAD"]) {
        for (const send of [ask, (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init)]) {
          const response = await send(ORDERS, { method, headers });
          await response.text();
          check(response.status, told.splice(0));
          assert.deepEqual(observed.splice(0), [response.status]);
        }
      }
    });
  }
}

/** Node shows a thrown value by its own function, which may throw. */
const UNSHOWABLE = {
  [Symbol.for("nodejs.util.inspect.custom")]() {
    throw new Error("This cannot be shown");
  },
};

/** A body of these pieces. An Error in their place is its failure. */
function bodyOf(...pieces: unknown[]): ReadableStream {
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece instanceof Error) controller.error(piece);
      else if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}

/** A body of pieces of a mebibyte without an end. */
function endless(cancel = () => {}): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_048_576)), cancel });
}

function withStatus(status: number, body: BodyInit): Response {
  return Object.defineProperty(new Response(body), "status", { value: status });
}

/** What a handler may return that is no proper response, the status of the answer, and what the app is told. */
const ODD: Record<string, [make: () => unknown, status: number, told?: RegExp]> = {
  "nothing": [() => undefined, 500, /^TypeError: The Response must have a status from 200 to 599, not undefined$/],
  "a plain object": [() => ({ status: 200, headers: new Headers(), body: null }), 200],
  "a response of another prototype": [() => Object.create(Response.prototype), 500, /./],
  "a body that is being read": [
    () => {
      const response = new Response("[]");
      response.body!.getReader();
      return response;
    },
    500,
    /locked|has already been read/,
  ],
  "a response that was read": [
    () => {
      const response = new Response("[]");
      void response.text();
      return response;
    },
    500,
    /has already been read/,
  ],
  "a status that throws": [
    () => ({
      get status() {
        throw new Error("status");
      },
    }),
    500,
    /status/,
  ],
  "a status that no response has": [() => withStatus(999, "[]"), 500, /not 999$/],
  "a body with the status 204": [() => withStatus(204, "[]"), 204],
  "a header with a control character": [
    () => new Response("[]", { headers: { "x-odd": "a\x01b" } }),
    500,
    /Header x-odd cannot be sent/,
  ],
  "a body that fails midway": [() => new Response(bodyOf(new Uint8Array(3), new Error("broken"))), 500, /broken/],
  "a body that gives text": [() => new Response(bodyOf(new Uint8Array(3), "2]")), 500, /must consist of Uint8Arrays/],
  "a body without an end": [() => new Response(endless()), 500, /longer than 16 MiB/],
  "a rejection with nothing": [() => Promise.reject(), 500, /undefined/],
  "a rejection that cannot be shown": [() => Promise.reject(UNSHOWABLE), 500, /./],
};

for (const [what, [make, expected, message]] of Object.entries(ODD)) {
  test(`a handler that returns ${what} gets a client ${expected}, and the app is told of each 500`, () =>
    askEverywhere(() => make() as Response, (status, told) => {
      assert.deepEqual([status, told.length], [expected, message ? 1 : 0]);
      if (message) assert.match(String(told[0]), message);
    }));
}

/** What a handler does when its client has left already, and how many failures the app is told. */
const AFTER_LEAVING: [answer: (signal: AbortSignal) => Response | Promise<Response>, failures: number][] = [
  [(signal) => fetch("http://127.0.0.1:9/", { signal }), 0],
  [(signal) => (signal.throwIfAborted(), new Response("[]")), 0],
  [() => new Response("[]"), 0],
  [() => new Response(null, { status: 204 }), 0],
  [() => assert.fail("database corrupt"), 1],
];

test("a client that leaves is no failure, whatever its host aborts the signal with, and a defect of the handler is one", async () => {
  for (const [answer, failures] of AFTER_LEAVING) {
    for (const reason of [undefined, new Error("aborted"), "left"]) {
      const leaving = new AbortController();
      const { ask, observed, told } = open(({ signal }) => {
        leaving.abort(reason);
        return answer(signal);
      });
      await ask(ORDERS, { signal: leaving.signal });
      assert.deepEqual([observed, told.length], [[failures ? 500 : 400], failures]);
    }
  }
});

/** Responses whose body is not sent. The last one gives nothing, and its client leaves meanwhile. */
const UNSENT: ((cancel: () => void, leaving: AbortController) => Response)[] = [
  (cancel) => new Response(endless(cancel)),
  (cancel) => withStatus(999, endless(cancel)),
  (cancel, leaving) => {
    setTimeout(() => leaving.abort());
    return new Response(new ReadableStream({ cancel }));
  },
];

test("a body that is not sent is cancelled", async () => {
  await Promise.all(UNSENT.map(async (make) => {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const leaving = new AbortController();
    await open(() => make(resolve, leaving)).ask(ORDERS, { signal: leaving.signal });
    await cancelled;
  }));
});

test("a body of an iterable that ends after its client has left, or after its time, ends no process", async () => {
  const uncaught: unknown[] = [], note = (error: unknown) => uncaught.push(error);
  process.on("uncaughtException", note);
  try {
    const begun = Promise.withResolvers<void>(), end = Promise.withResolvers<void>();
    const pieces = async function* () {
      yield new Uint8Array([0x7b]);
      begun.resolve();
      await end.promise;
    };
    // Deno's types lack iterables.
    const iterable = () => pieces() as unknown as ReadableStream;
    const leaving = new AbortController();
    const { ask } = open(() => new Response(iterable()), { bodyTimeoutMs: 50 });
    const answered = ask(ORDERS, { signal: leaving.signal });
    await begun.promise;
    leaving.abort();
    await answered;
    const init: RequestInit & { duplex: "half" } = { method: "POST", body: iterable(), duplex: "half" };
    assert.equal((await ask("/v1/pets", init)).status, 408);
    // By then, the bodies have been cancelled as far as they ever are.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    end.resolve();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(uncaught, []);
  } finally {
    process.off("uncaughtException", note);
  }
});

test("fields that Connection names, and a length that is not that of the body, are not sent on", async () => {
  const headers = { connection: "close, X-Hop", "x-hop": "1", "x-kept": "1", "content-length": "5" };
  for (const [body, length] of [["[]", "2"], [null, null]]) {
    const response = await open(() => new Response(body, { headers })).ask();
    const sent = ["connection", "x-hop", "x-kept", "content-length"].map((name) => response.headers.get(name));
    assert.deepEqual(sent, [null, null, "1", length]);
  }
});

test("a response of 16 MiB in many pieces, and a form, arrive whole by either host", async () => {
  const pieces = Array.from({ length: 1024 }, (_, index) => new Uint8Array(16_384).fill(index));
  const form = new FormData();
  form.append("picture", new File(["x".repeat(100_000)], "rex.txt"));
  const { petstore } = open(({ url }) => new Response(url.endsWith("form") ? form : bodyOf(...pieces)));
  await withListening(createServer(createNodeListener(petstore)), async (port) => {
    for (const give of [fetch, petstore.handle]) {
      const get = (query: string) =>
        give(
          new Request(`http://127.0.0.1:${port}${ORDERS}?${query}`, { headers: { authorization: `Bearer ${KEY}` } }),
        );
      assert.ok(Buffer.concat(pieces).equals(await (await get("")).bytes()));
      const { size } = (await (await get("form")).formData()).get("picture") as File;
      assert.equal(size, 100_000);
    }
  });
});

test("a response of fetch is sent where a framework has replaced the class Response, as Hono does on Node", async () => {
  const OfFramework = class extends Response {};
  const ofFetch = new Response("[]", { status: 202, headers: { "x-app": "1" } });
  await whileReplaced(globalThis, { Response: OfFramework }, async () => {
    const response = await open(() => ofFetch).ask();
    assert.deepEqual([response.status, response.headers.get("x-app"), await response.text()], [202, "1", "[]"]);
  });
});

test("what fetch has decoded reaches the client without its coding, and what an app has coded with it", async () => {
  const coded = gzipSync("[1,2]");
  const fields = { "content-encoding": "gzip", "content-length": String(coded.length) };
  const upstream = createServer((_, response) => void response.writeHead(200, fields).end(coded));
  await withListening(upstream, async (port) => {
    const fetched = (headers: Record<string, string>) => () =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { ...headers, connection: "close" } });
    const answers: [coding: string | null | undefined, answer: OrdersHandler][] = [
      [null, fetched({})],
      // Whether a runtime has removed a coding shows in the first bytes alone: Deno leaves this one in place.
      [undefined, fetched({ range: "bytes=0-" })],
      // Nothing shows in the first bytes of Brotli.
      ["br", () => new Response(coded, { headers: { "content-encoding": "br" } })],
    ];
    for (const [coding, answer] of answers) {
      const response = await open(answer).ask();
      const body = await response.bytes();
      const told = response.headers.get("content-encoding");
      if (coding !== undefined) assert.equal(told, coding);
      assert.deepEqual(Buffer.from(body), told ? coded : Buffer.from("[1,2]"));
    }
  });
});

test("a handler that changes its caller changes no right of later requests", async () => {
  const { ask } = open((_, caller) => {
    Object.assign(caller, { readOnly: false });
    return new Response("[]");
  }, { keys: [{ key: KEY, readOnly: true }] });
  assert.equal((await ask()).status, 500);
  assert.equal((await ask("/v1/pets", { method: "POST", body: REX })).status, 403);
});

test("a store of the app that returns no id for a new pet, or one beyond those of JavaScript, gets a client 500", async () => {
  for (const id of [undefined, 2n ** 53n]) {
    const store = Object.assign(createMemoryStore(), { create: () => id as bigint });
    const { ask, told } = open(() => new Response(), { store });
    assert.deepEqual([(await ask("/v1/pets", { method: "POST", body: REX })).status, told.length], [500, 1]);
  }
});

test("a pet is shown after its 201 where the counters of a store are wrong, or come as promises", async () => {
  for (const changes of [() => Promise.resolve({ additions: 0, alterations: 0 }), () => ({})]) {
    const store = Object.assign(createMemoryStore(), { changes: changes as never });
    const { ask } = open(() => new Response(), { store });
    const list = async () => await (await ask("/v1/pets")).text();
    // The second response would be kept.
    for (let i = 0; i < 3; i++) assert.equal(await list(), "[]");
    await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
    assert.match(await list(), /^\[\{"id":1,/);
  }
});

test("a body that stalls is cancelled when the client leaves, also after a collection of garbage", async () => {
  const collectGarbage = garbageCollector() ?? (() => {});
  const asked = Promise.withResolvers<void>(), cancelled = Promise.withResolvers<void>();
  const { ask } = open(() =>
    new Response(
      new ReadableStream({ pull: () => asked.resolve(), cancel: () => cancelled.resolve() }, { highWaterMark: 0 }),
    )
  );
  const leaving = new AbortController();
  const answered = ask(ORDERS, { signal: leaving.signal });
  await asked.promise;
  for (let turns = 0; turns < 3; turns++) {
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
  }
  leaving.abort();
  assert.equal((await answered).status, 400);
  await cancelled.promise;
});

test("a request that an app never answers is not kept in memory after its client has left", async (t) => {
  const collectGarbage = garbageCollector();
  if (!collectGarbage) return t.skip("the runtime exposes no collection of garbage");
  const abandoned: WeakRef<Request>[] = [];
  const { ask } = open((request) => {
    abandoned.push(new WeakRef(request));
    return new Promise(() => {});
  });
  for (let i = 0; i < 10; i++) {
    const leaving = new AbortController();
    void ask(ORDERS, { signal: leaving.signal });
    await new Promise((resolve) => setTimeout(resolve));
    leaving.abort();
  }
  for (let turns = 0; turns < 5; turns++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collectGarbage();
  }
  assert.equal(abandoned.length, 10);
  // The last one may still be on the stack.
  assert.ok(abandoned.filter((request) => request.deref()).length <= 1);
});

/** A function that collects garbage, if the runtime has one. */
function garbageCollector(): (() => void) | undefined {
  setFlagsFromString("--expose-gc");
  // Only new contexts get what a flag exposes.
  return runInNewContext("globalThis.gc");
}
