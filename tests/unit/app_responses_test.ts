/**
 * What an app's handler may return, also of what it has got from an upstream: each request gets an
 * answer, and the process lives. app_leaving_test.ts has clients that leave meanwhile.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import test from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createMemoryStore } from "../../lib/stores/memory/memory_store.ts";
import { endless, openApp, ORDERS, type OrdersHandler, withStatus } from "../support/app.ts";
import { withListening } from "../support/http/listening.ts";
import { KEY, REX } from "../support/pet_requests.ts";
import { whileReplaced } from "../support/while_replaced.ts";

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

/** A response of which something else has taken the body. */
function taken(take: (response: Response) => unknown): Response {
  const response = new Response("[]");
  void take(response);
  return response;
}

interface Refused {
  answer: () => unknown;
  /** The failure that the app is told. */
  told: RegExp;
}

/** What gets a client 500. */
const REFUSED: Record<string, Refused> = {
  "returns nothing": {
    answer: () => undefined,
    told: /^TypeError: The Response must have a status from 200 to 599, not undefined$/,
  },
  "returns a response of another prototype": { answer: () => Object.create(Response.prototype), told: /./ },
  "returns a body that is being read": {
    answer: () => taken((response) => response.body!.getReader()),
    told: /locked|has already been read/,
  },
  "returns a response that was read": {
    answer: () => taken((response) => response.text()),
    told: /has already been read/,
  },
  "returns a status that throws": {
    answer: () => ({
      get status() {
        throw new Error("status");
      },
    }),
    told: /status/,
  },
  "returns a status that no response has": { answer: () => withStatus(999, "[]"), told: /not 999$/ },
  "returns a header with a control character": {
    answer: () => new Response("[]", { headers: { "x-odd": "a\x01b" } }),
    told: /Header x-odd cannot be sent/,
  },
  "returns a body that fails midway": {
    answer: () => new Response(bodyOf(new Uint8Array(3), new Error("broken"))),
    told: /broken/,
  },
  "returns a body that gives text": {
    answer: () => new Response(bodyOf(new Uint8Array(3), "2]")),
    told: /must consist of Uint8Arrays/,
  },
  "returns a body without an end": { answer: () => new Response(endless()), told: /longer than 16 MiB/ },
  "rejects with nothing": { answer: () => Promise.reject(), told: /undefined/ },
  "rejects with what cannot be shown": { answer: () => Promise.reject(UNSHOWABLE), told: /./ },
};

/** Asks by GET and HEAD: `handle`, and a server on node:http with CORS. */
async function askEachWay(answer: () => unknown) {
  const own = openApp(answer as OrdersHandler);
  const served = openApp(answer as OrdersHandler, { cors: { origins: ["*"] } });
  const statuses: number[] = [];
  await withListening(createServer(createNodeListener(served.petstore)), async (port) => {
    for (const method of ["GET", "HEAD"]) {
      const headers = { authorization: `Bearer ${KEY}`, origin: "https://app.example" };
      const init = { method, headers };
      for (const response of [await own.ask(ORDERS, init), await fetch(`http://127.0.0.1:${port}${ORDERS}`, init)]) {
        await response.text();
        statuses.push(response.status);
      }
    }
  });
  const told = [...own.told, ...served.told];
  const observed = [...own.observed, ...served.observed];
  return { statuses, told, observed };
}

for (const [does, { answer, told: message }] of Object.entries(REFUSED)) {
  test(`a handler that ${does} gets a client 500, and the app is told why`, async () => {
    const { statuses, told, observed } = await askEachWay(answer);
    assert.deepEqual([statuses, observed], [Array(4).fill(500), Array(4).fill(500)]);
    assert.equal(told.length, 4);
    for (const failure of told) assert.match(String(failure), message);
  });
}

test("what is like a response is sent as one, and a body with the status 204 is left out", async () => {
  const plain = await askEachWay(() => ({ status: 200, headers: new Headers(), body: null }));
  const without = await askEachWay(() => withStatus(204, "[]"));
  assert.deepEqual([plain.statuses, plain.told], [Array(4).fill(200), []]);
  assert.deepEqual([without.statuses, without.told], [Array(4).fill(204), []]);
});

test("fields that Connection names, and a length that is not that of the body, are not sent on", async () => {
  const headers = { connection: "close, X-Hop", "x-hop": "1", "x-kept": "1", "content-length": "5" };
  for (const [body, length] of [["[]", "2"], [null, null]]) {
    const response = await openApp(() => new Response(body, { headers })).ask();
    const sent = ["connection", "x-hop", "x-kept", "content-length"].map((name) => response.headers.get(name));
    assert.deepEqual(sent, [null, null, "1", length]);
  }
});

test("each cookie of an app's response stays a field of its own", async () => {
  const headers: [string, string][] = [["set-cookie", "a=1"], ["set-cookie", "b=2"]];
  const response = await openApp(() => new Response("[]", { headers })).ask();
  assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
});

test("a response of 16 MiB in many pieces, and a form, arrive whole by either host", async () => {
  const pieces = Array.from({ length: 1024 }, (_, index) => new Uint8Array(16_384).fill(index));
  const form = new FormData();
  form.append("picture", new File(["x".repeat(100_000)], "rex.txt"));
  const { petstore } = openApp(({ url }) => new Response(url.endsWith("form") ? form : bodyOf(...pieces)));
  await withListening(createServer(createNodeListener(petstore)), async (port) => {
    const headers = { authorization: `Bearer ${KEY}` };
    for (const give of [fetch, petstore.handle]) {
      const get = (query: string) => give(new Request(`http://127.0.0.1:${port}${ORDERS}?${query}`, { headers }));
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
    const response = await openApp(() => ofFetch).ask();
    assert.deepEqual([response.status, response.headers.get("x-app"), await response.text()], [202, "1", "[]"]);
  });
});

/** Asks an app that answers so. Resolves to the coding that the response names, and to its bytes. */
async function codedAnswer(answer: OrdersHandler): Promise<{ coding: string | null; body: Buffer }> {
  const response = await openApp(answer).ask();
  return { coding: response.headers.get("content-encoding"), body: Buffer.from(await response.bytes()) };
}

test("what fetch has decoded reaches the client without its coding, and what an app has coded with it", async () => {
  const text = Buffer.from("[1,2]");
  const coded = gzipSync(text);
  const fields = { "content-encoding": "gzip", "content-length": String(coded.length) };
  const upstream = createServer((_, response) => void response.writeHead(200, fields).end(coded));
  await withListening(upstream, async (port) => {
    const fetched = (headers: Record<string, string>) => () =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { ...headers, connection: "close" } });
    assert.deepEqual(await codedAnswer(fetched({})), { coding: null, body: text });
    // Whether a runtime has removed a coding shows in the first bytes alone: Deno leaves this one in place.
    const ofRange = await codedAnswer(fetched({ range: "bytes=0-" }));
    assert.deepEqual(ofRange.body, ofRange.coding ? coded : text);
  });
  // Nothing shows in the first bytes of Brotli.
  const body = brotliCompressSync(text);
  const headers = { "content-encoding": "br" };
  assert.deepEqual(await codedAnswer(() => new Response(body, { headers })), { coding: "br", body });
});

test("a handler that changes its caller changes no right of later requests", async () => {
  const { ask } = openApp((_, caller) => {
    Object.assign(caller, { readOnly: false });
    return new Response("[]");
  }, { keys: [{ key: KEY, readOnly: true }] });
  assert.equal((await ask()).status, 500);
  assert.equal((await ask("/v1/pets", { method: "POST", body: REX })).status, 403);
});

test("a store of the app that returns no id for a new pet, or one beyond those of JavaScript, gets a client 500", async () => {
  for (const id of [undefined, 2n ** 53n]) {
    const store = Object.assign(createMemoryStore(), { create: () => id as bigint });
    const { ask, told } = openApp(() => new Response(), { store });
    assert.deepEqual([(await ask("/v1/pets", { method: "POST", body: REX })).status, told.length], [500, 1]);
  }
});

test("a pet is shown after its 201 where the counters of a store are wrong, or come as promises", async () => {
  for (const changes of [() => Promise.resolve({ additions: 0, alterations: 0 }), () => ({})]) {
    const store = Object.assign(createMemoryStore(), { changes: changes as never });
    const { ask } = openApp(() => new Response(), { store });
    const list = async () => await (await ask("/v1/pets")).text();
    // The second response would be kept.
    for (let i = 0; i < 3; i++) assert.equal(await list(), "[]");
    await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
    assert.match(await list(), /^\[\{"id":1,/);
  }
});
