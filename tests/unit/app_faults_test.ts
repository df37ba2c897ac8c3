/**
 * What an app's handler may return or do, also with what it has got from an upstream: each request gets an answer, the process lives, and
 * no other request is harmed.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createServer as createHttpServer } from "node:http";
import { createServer as createUpstream } from "node:net";
import process from "node:process";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createMemoryStore } from "../../lib/stores/memory/memory_store.ts";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import { KEY, petRequest, REX } from "../support/pet_requests.ts";
import { until } from "../support/until.ts";
import { whileReplaced } from "../support/while_replaced.ts";

const HEADERS = { authorization: `Bearer ${KEY}`, origin: "https://app.example" };

/** Without CORS, and with CORS where an upstream has its own grants, which the petstore removes. */
const SETTINGS: Partial<PetstoreOptions>[] = [{}, { cors: { origins: ["*"] } }];

interface Seen {
  status: number;
  /** The statuses that `onResponse` was told, and the failures that `onError` was. */
  observed: number[];
  told: unknown[];
}

/** Asks for the orders by GET and HEAD, with and without CORS, of `handle` and of a server on node:http. */
async function askEverywhere(handleStoreOrders: () => Response | Promise<Response>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const method of ["GET", "HEAD"]) {
    for (const settings of SETTINGS) {
      const told: unknown[] = [], observed: number[] = [];
      const onError: PetstoreOptions["onError"] = ({ error }) => told.push(error);
      const onResponse: PetstoreOptions["onResponse"] = ({ status }) => observed.push(status);
      const petstore = createPetstore({ keys: [KEY], handleStoreOrders, onError, onResponse, ...settings });
      const see = async (response: Response) => {
        await response.text();
        seen.push({ status: response.status, told: told.splice(0), observed: observed.splice(0) });
      };
      await see(await petstore.handle(petRequest("/v1/store/orders", { method, headers: HEADERS })));
      await withListening(createHttpServer(createNodeListener(petstore)), async (port) => {
        await see(await fetch(`http://127.0.0.1:${port}/v1/store/orders`, { method, headers: HEADERS }));
      });
    }
  }
  return seen;
}

/** Asks a petstore in this process for the orders. */
async function ask(handleStoreOrders: () => Response | Promise<Response>): Promise<Response> {
  const { handle } = createPetstore({ keys: [KEY], handleStoreOrders, onError: () => {} });
  return await handle(petRequest("/v1/store/orders"));
}

const GRANTS = "Access-Control-Allow-Origin: https://other.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]";

for (const line of ["200 \xc3\xa9t\xe9", "999 Nope"]) {
  test(`the status line ${JSON.stringify(line)} of an upstream ends no process: the client gets 2xx without the reason, or 500`, async () => {
    const upstream = createUpstream((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(`HTTP/1.1 ${line}\r\n${GRANTS}`, "latin1"));
    });
    await withListening(upstream, async (port) => {
      const fetchUpstream = () => fetch(`http://127.0.0.1:${port}/`);
      // A runtime may refuse such a line itself, which is a failure of the handler.
      const given = await fetchUpstream().then(({ status }) => status, () => 0);
      const expected = given >= 200 && given <= 599 ? given : 500;
      for (const { status, told } of await askEverywhere(fetchUpstream)) {
        assert.deepEqual([status, told.length], [expected, expected === 500 ? 1 : 0]);
      }
    });
  });
}

/** Node shows a thrown value by its own function, which may throw. */
const UNSHOWABLE = {
  [Symbol.for("nodejs.util.inspect.custom")]() {
    throw new Error("This cannot be shown");
  },
};

/** What a handler may answer instead of a response. Some look like one until they are used. */
const ODD: Record<string, () => unknown> = {
  "nothing": () => undefined,
  "a plain object": () => ({ status: 200, headers: new Headers(), body: null }),
  "a response of another prototype": () => Object.create(Response.prototype),
  "a body that is being read": () => {
    const response = new Response("[]");
    response.body!.getReader();
    return response;
  },
  "a status that throws": () =>
    Object.defineProperty(new Response("[]"), "status", { get: () => assert.fail("status") }),
  "a status that changes": () => {
    const statuses = [200, 204];
    return Object.defineProperty(new Response("[]"), "status", { get: () => statuses.shift() ?? 204 });
  },
  "a form with the status 204": () => {
    const form = new FormData();
    form.append("picture", new File(["x".repeat(100_000)], "rex.txt"));
    return Object.defineProperty(new Response(form), "status", { value: 204 });
  },
  "a header with a control character": () => new Response("[]", { headers: { "x-odd": "a\x01b" } }),
  "a rejection with nothing": () => Promise.reject(),
  "a rejection that cannot be shown": () => Promise.reject(UNSHOWABLE),
};

for (const [what, make] of Object.entries(ODD)) {
  test(`a handler that returns ${what} gets a client an answer`, async () => {
    const seen = await askEverywhere(() => make() as Response);
    assert.equal(seen.length, 8);
    for (const { status, told, observed } of seen) {
      assert.ok([200, 204].includes(status) || (status === 500 && told.length === 1), `${status} ${told.length}`);
      assert.deepEqual(observed, [status]);
    }
  });
}

test("a Response and its body are sent once: the second request that gets them is answered with 500", async () => {
  const response = new Response("[]");
  const { handle } = createPetstore({ keys: [KEY], handleStoreOrders: () => response, onError: () => {} });
  const both = await Promise.all([1, 2].map(() => handle(petRequest("/v1/store/orders"))));
  assert.deepEqual([...both.map(({ status }) => status), await both[0]!.text()], [200, 500, "[]"]);
  assert.equal((await handle(petRequest("/v1/store/orders"))).status, 500);
  // One without a body can be sent again and again.
  const empty = new Response(null, { status: 404 });
  for (let i = 0; i < 2; i++) assert.equal((await ask(() => empty)).status, 404);
});

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

/** A body without an end. */
function endless(piece: Uint8Array, cancel?: () => void): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.enqueue(piece), cancel: () => cancel?.() });
}

const BYTES = new TextEncoder().encode("[1,");

/** Bodies that cannot be sent, and what the app is told. */
const WRONG_BODIES: Record<string, [body: () => ReadableStream, told: RegExp]> = {
  "fails at its first byte": [() => bodyOf(new Error("broken")), /broken/],
  "fails midway": [() => bodyOf(BYTES, new Error("broken")), /broken/],
  "gives text": [() => bodyOf(BYTES, "2]"), /must consist of Uint8Arrays/],
  "has no end": [() => endless(new Uint8Array(1_048_576)), /longer than 16777216 bytes/],
};

for (const [what, [body, expected]] of Object.entries(WRONG_BODIES)) {
  test(`a response whose body ${what} becomes 500, and the app is told`, async () => {
    for (const { status, told } of await askEverywhere(() => new Response(body()))) {
      assert.deepEqual([status, told.length], [500, 1]);
      assert.match(String(told[0]), expected);
    }
  });
}

test("a body is cancelled and not read if its head cannot be sent, and if the client leaves, which is no failure", async () => {
  const observed: number[] = [], told: unknown[] = [];
  let cancelled = Promise.withResolvers<void>(), asked = Promise.withResolvers<void>();
  const petstore = createPetstore({
    keys: [KEY],
    handleStoreOrders: ({ url }) => {
      asked.resolve();
      // It gives nothing, and has no end.
      const headers = url.endsWith("field") ? { "x-odd": "\x01" } : {};
      const response = new Response(new ReadableStream({ cancel: () => cancelled.resolve() }), { headers });
      return url.endsWith("status") ? Object.defineProperty(response, "status", { value: 999 }) : response;
    },
    onResponse: ({ status }) => observed.push(status),
    onError: ({ error }) => told.push(error),
  });
  for (const wrong of ["status", "field"]) {
    cancelled = Promise.withResolvers<void>();
    assert.equal((await petstore.handle(petRequest(`/v1/store/orders?${wrong}`))).status, 500);
    await cancelled.promise;
  }
  await withListening(createHttpServer(createNodeListener(petstore)), async (port) => {
    cancelled = Promise.withResolvers<void>();
    asked = Promise.withResolvers<void>();
    const leaving = new AbortController();
    const { signal } = leaving;
    const answered = fetch(`http://127.0.0.1:${port}/v1/store/orders`, { headers: HEADERS, signal });
    await asked.promise;
    leaving.abort();
    await assert.rejects(answered);
    await cancelled.promise;
    await until("the request is over", () => observed.length === 3, 10);
  });
  assert.deepEqual([observed, told.length], [[500, 500, 400], 2]);
});

test("a client that leaves is no failure, whatever its host aborts the signal with", async () => {
  const handlers: ((signal: AbortSignal) => Response | Promise<Response>)[] = [
    (signal) => fetch("http://127.0.0.1:9/", { signal }),
    (signal) => (signal.throwIfAborted(), new Response("[]")),
    () => new Response("[]"),
    () => new Response(null, { status: 204 }),
  ];
  for (const answer of handlers) {
    for (const reason of [undefined, new Error("aborted"), "left"]) {
      const leaving = new AbortController(), told: unknown[] = [], observed: number[] = [];
      const { handle } = createPetstore({
        keys: [KEY],
        handleStoreOrders({ signal }) {
          leaving.abort(reason);
          return answer(signal);
        },
        onError: ({ error }) => told.push(error),
        onResponse: ({ status }) => observed.push(status),
      });
      await handle(new Request(petRequest("/v1/store/orders"), { signal: leaving.signal }));
      assert.deepEqual([observed, told], [[400], []]);
    }
  }
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
    const petstore = createPetstore({
      keys: [KEY],
      bodyTimeoutMs: 50,
      handleStoreOrders: () => new Response(iterable()),
    });
    const answered = petstore.handle(new Request(petRequest("/v1/store/orders"), { signal: leaving.signal }));
    await begun.promise;
    leaving.abort();
    await answered;
    const init: RequestInit & { duplex: "half" } = { method: "POST", body: iterable(), duplex: "half" };
    assert.equal((await petstore.handle(petRequest("/v1/pets", init))).status, 408);
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
  const { handle } = createPetstore({ keys: [KEY], handleStoreOrders: () => new Response("[]", { headers }) });
  const response = await handle(petRequest("/v1/store/orders"));
  assert.deepEqual(["connection", "x-hop", "x-kept", "content-length"].map((name) => response.headers.get(name)), [
    null,
    null,
    "1",
    "2",
  ]);
});

test("a response to HEAD has the length that the app gives for GET", async () => {
  const handleStoreOrders = () => new Response(null, { headers: { "content-length": "5" } });
  const { handle } = createPetstore({ keys: [KEY], handleStoreOrders });
  for (const [method, length] of [["HEAD", "5"], ["GET", null]] as const) {
    assert.equal((await handle(petRequest("/v1/store/orders", { method }))).headers.get("content-length"), length);
  }
});

test("a body that is too long is cancelled, and one of empty pieces without an end keeps no other request waiting", async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  assert.equal((await ask(() => new Response(endless(new Uint8Array(1_048_576), resolve)))).status, 500);
  await cancelled;
  let isOver = false;
  const empty = new ReadableStream({
    pull: (controller) => isOver ? controller.close() : controller.enqueue(new Uint8Array()),
  });
  const waiting = ask(() => new Response(empty));
  // A timer fires only if the empty pieces leave it a turn.
  await new Promise((resolve) => setTimeout(resolve));
  isOver = true;
  assert.equal((await waiting).status, 200);
});

test("a response of 16 MiB in many pieces, and a form, arrive whole by either host", async () => {
  const pieces = Array.from({ length: 1024 }, (_, index) => new Uint8Array(16_384).fill(index));
  const form = new FormData();
  form.append("picture", new File(["x".repeat(100_000)], "rex.txt"));
  const petstore = createPetstore({
    keys: [KEY],
    handleStoreOrders: ({ url }) => new Response(url.endsWith("form") ? form : bodyOf(...pieces)),
  });
  await withListening(createHttpServer(createNodeListener(petstore)), async (port) => {
    const request = (query: string) =>
      [`http://127.0.0.1:${port}/v1/store/orders?${query}`, { headers: HEADERS }] as const;
    const givers = [
      (query: string) => fetch(...request(query)),
      (query: string) => petstore.handle(new Request(...request(query))),
    ];
    for (const give of givers) {
      assert.ok(Buffer.concat(pieces).equals(await (await give("")).bytes()));
      const { size } = (await (await give("form")).formData()).get("picture") as File;
      assert.equal(size, 100_000);
    }
  });
});

test("a response of fetch is sent where a framework has replaced the class Response, as Hono does on Node", async () => {
  const OfFramework = class extends Response {};
  const ofFetch = new Response("[]", { status: 202, headers: { "x-app": "1" } });
  await whileReplaced(globalThis, { Response: OfFramework }, async () => {
    const response = await ask(() => ofFetch);
    assert.deepEqual([response.status, response.headers.get("x-app"), await response.text()], [202, "1", "[]"]);
  });
});

test("what fetch has decoded reaches the client without its coding, and what an app has coded with it", async () => {
  const codingOf = ({ headers }: Response) => headers.get("content-encoding");
  const coded = gzipSync("[1,2]");
  const fields = { "content-encoding": "gzip", "content-length": String(coded.length) };
  const upstream = createHttpServer((_, response) => void response.writeHead(200, fields).end(coded));
  await withListening(upstream, async (port) => {
    const response = await ask(() => fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } }));
    assert.deepEqual([codingOf(response), await response.text()], [null, "[1,2]"]);
  });
  // Whether a runtime has removed a coding shows in the first bytes alone: Deno leaves this one in place.
  const ranges = createHttpServer((_, response) => void response.writeHead(200, fields).end(coded));
  await withListening(ranges, async (port) => {
    const headers = { connection: "close", range: "bytes=0-" };
    const response = await ask(() => fetch(`http://127.0.0.1:${port}/`, { headers }));
    assert.equal(Buffer.from(await response.bytes()).equals(coded) ? "gzip" : null, codingOf(response));
  });
  // No runtime knows this coding, so `fetch` leaves the body as it is.
  const unknown = createHttpServer((_, response) =>
    void response.writeHead(200, { "content-encoding": "x-own" }).end("?")
  );
  await withListening(unknown, async (port) => {
    const response = await ask(() => fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } }));
    assert.deepEqual([codingOf(response), await response.text()], ["x-own", "?"]);
  });
  const response = await ask(() => new Response(coded, { headers: fields }));
  assert.deepEqual([codingOf(response), await response.bytes()], ["gzip", new Uint8Array(coded)]);
});

test("a defect of a handler is told, also if the client has left meanwhile", async () => {
  const leaving = new AbortController(), told: unknown[] = [];
  const handleStoreOrders = () => {
    leaving.abort();
    throw new Error("database corrupt");
  };
  const { handle } = createPetstore({ keys: [KEY], handleStoreOrders, onError: ({ error }) => told.push(error) });
  await handle(new Request(petRequest("/v1/store/orders"), { signal: leaving.signal }));
  assert.match(String(told), /database corrupt/);
});

test("a handler that forgets to return its Response is told what is missing", async () => {
  const told: unknown[] = [];
  const handleStoreOrders = (() => {}) as unknown as NonNullable<PetstoreOptions["handleStoreOrders"]>;
  const { handle } = createPetstore({ keys: [KEY], handleStoreOrders, onError: ({ error }) => told.push(error) });
  await handle(petRequest("/v1/store/orders"));
  assert.match(String(told), /^TypeError: The Response must have a status from 200 to 599, not undefined$/);
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

/** Requests of an app that wraps the petstore, and stores of its own, each with a fault. */
const FAULTS: Record<string, { body?: () => ReadableStream; id?: unknown }> = {
  "a body whose stream gives text": { body: () => ReadableStream.from([new TextEncoder().encode(REX), "text"]) },
  "a store that returns no id for a new pet": { id: undefined },
  "a store that returns an id beyond those of JavaScript": { id: 2n ** 53n },
};

for (const [what, fault] of Object.entries(FAULTS)) {
  test(`${what} is a fault of the app: the client gets 500, and the app is told`, async () => {
    const told: unknown[] = [];
    const store = createMemoryStore();
    if ("id" in fault) Object.assign(store, { create: () => fault.id });
    const { handle } = createPetstore({ keys: [KEY], store, onError: ({ error }) => told.push(error) });
    const create = petRequest("/v1/pets", { method: "POST", body: fault.body?.() ?? REX });
    assert.deepEqual([(await handle(create)).status, told.length], [500, 1]);
  });
}

test("a pet is shown after its 201 where the counters of a store are wrong or come as promises, whose failure ends no process", async () => {
  for (const changes of [() => Promise.reject(new Error("no counters")), () => ({})]) {
    const store = Object.assign(createMemoryStore(), { changes: changes as never });
    const { handle } = createPetstore({ keys: [KEY], store });
    const list = async () => await (await handle(petRequest("/v1/pets"))).text();
    // The second response would be kept.
    for (let i = 0; i < 3; i++) assert.equal(await list(), "[]");
    await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
    assert.match(await list(), /^\[\{"id":1,/);
    // A rejection that nothing handles is told at the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
});
