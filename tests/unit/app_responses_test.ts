/** What an app's handler may return, also what it has got from an upstream: each request gets an answer, and the process lives. */

import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import { createServer as createUpstream } from "node:net";
import test from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import { KEY, petRequest } from "../support/pet_requests.ts";
import { whileReplaced } from "../support/while_replaced.ts";

const HEADERS = { authorization: `Bearer ${KEY}`, origin: "https://app.example" };

/** Without CORS, and with CORS where an upstream has its own grants, which the petstore removes. */
const SETTINGS: Partial<PetstoreOptions>[] = [{}, { cors: { origins: ["*"] } }];

interface Seen {
  status: number;
  /** The statuses that `onResponse` was told. */
  observed: number[];
  told: unknown[];
}

/** Asks for the orders by GET and HEAD, with and without CORS, of `handle` and of a server on node:http. */
async function askEverywhere(handleStoreOrders: () => Response | Promise<Response>): Promise<Record<string, Seen>> {
  const seen: Record<string, Seen> = {};
  for (const method of ["GET", "HEAD"]) {
    for (const settings of SETTINGS) {
      const told: unknown[] = [], observed: number[] = [];
      const onError: PetstoreOptions["onError"] = ({ error }) => told.push(error);
      const onResponse: PetstoreOptions["onResponse"] = ({ status }) => observed.push(status);
      const petstore = createPetstore({ keys: [KEY], handleStoreOrders, onError, onResponse, ...settings });
      const name = `${method}${settings.cors ? " with CORS" : ""}`;
      const request = petRequest("/v1/store/orders", { method, headers: HEADERS });
      seen[name] = await summarize(await petstore.handle(request), told, observed);
      seen[`${name} on Node`] = await withListening(createHttpServer(createNodeListener(petstore)), async (port) => {
        const url = `http://127.0.0.1:${port}/v1/store/orders`;
        return await summarize(await fetch(url, { method, headers: HEADERS }), told, observed);
      });
    }
  }
  return seen;
}

/** Asks a petstore in this process for the orders. */
async function ask(handleStoreOrders: () => Response | Promise<Response>): Promise<Response> {
  const { handle } = createPetstore({ keys: [KEY], handleStoreOrders });
  return await handle(petRequest("/v1/store/orders"));
}

async function summarize(response: Response, told: unknown[], observed: number[]): Promise<Seen> {
  await response.text();
  return { status: response.status, told: told.splice(0), observed: observed.splice(0) };
}

const GRANTS = "Access-Control-Allow-Origin: https://other.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]";

test("the odd status line of an upstream ends no process: the client gets 200 without the reason, or 500", async () => {
  const lines = ["200 \xc3\xa9t\xe9", "200 OK \xe2\x9c\x93", "200 \xff", "299 Odd", "599 Last", "600 X", "999 Nope"];
  for (const line of lines) {
    const upstream = createUpstream((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(`HTTP/1.1 ${line}\r\n${GRANTS}`, "latin1"));
    });
    await withListening(upstream, async (port) => {
      const fetchUpstream = () => fetch(`http://127.0.0.1:${port}/`);
      // A runtime may refuse such a line itself, which is a failure of the handler.
      const given = await fetchUpstream().then(({ status }) => status, () => 0);
      const expected = given >= 200 && given <= 599 ? given : 500;
      for (const [name, { status, told }] of Object.entries(await askEverywhere(fetchUpstream))) {
        assert.deepEqual([status, told.length], [expected, expected === 500 ? 1 : 0], `${line}: ${name}`);
      }
    });
  }
});

/** Objects that look like a response until they are used. */
const ODD: Record<string, () => unknown> = {
  "nothing": () => undefined,
  "a text": () => "orders",
  "a plain object": () => ({ status: 200, headers: new Headers(), body: null }),
  "an error's response": () => Response.error(),
  "a response of another prototype": () => Object.create(Response.prototype),
  "a body that is being read": () => {
    const response = new Response("[]");
    response.body!.getReader();
    return response;
  },
  "a body that was read": async () => {
    const response = new Response("[]");
    await response.text();
    return response;
  },
  "a proxy": () => new Proxy(new Response("[]"), {}),
  "a status that throws": () => withGetter("status", () => assert.fail("status")),
  "a status that is no number": () => withGetter("status", () => "200"),
  "another status each time": () => withGetter("status", inTurn([200, 999, 200, 101])),
  "other headers each time": () => withGetter("headers", inTurn([new Headers(), new Headers({ "x-odd": "\u0001" })])),
  "another body each time": () => withGetter("body", inTurn([new Response("[]").body, "text", undefined])),
  "headers that are none": () => withGetter("headers", () => undefined),
  "a header with a control character": () => new Response("[]", { headers: { "x-odd": "a\x01b" } }),
  "a reason with a line end": () => withGetter("statusText", () => "OK\r\nX: y"),
  "a rejection with nothing": () => Promise.reject(),
  "a thenable that throws": () => ({
    then() {
      throw undefined;
    },
  }),
};

function inTurn(values: unknown[]): () => unknown {
  let count = 0;
  return () => values[count++ % values.length];
}

function withGetter(name: keyof Response, get: () => unknown): Response {
  return Object.defineProperty(new Response("[]"), name, { get });
}

for (const [what, make] of Object.entries(ODD)) {
  test(`a handler that returns ${what} gets a client an answer`, async () => {
    const seen = await askEverywhere(() => make() as Response);
    assert.equal(Object.keys(seen).length, 8);
    for (const [name, { status, told, observed }] of Object.entries(seen)) {
      assert.ok(status === 200 || (status === 500 && told.length === 1), `${name}: ${status} ${told}`);
      assert.deepEqual(observed, [status], name);
    }
  });
}

function revokedProxy(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Node shows a value by its own function, which may throw. */
const UNSHOWABLE = {
  [Symbol.for("nodejs.util.inspect.custom")]() {
    throw new Error("This cannot be shown");
  },
};

test("a Response and its body are sent once: the second request that gets them is answered with 500, and the app is told", async () => {
  const shared = new Response("[]"), body = new Blob(["[]"]).stream();
  for (const handleStoreOrders of [() => shared, () => new Response(body)]) {
    let told = 0;
    const { handle } = createPetstore({ keys: [KEY], handleStoreOrders, onError: () => told++ });
    const both = await Promise.all([1, 2].map(() => handle(petRequest("/v1/store/orders"))));
    assert.deepEqual(both.map(({ status }) => status), [200, 500]);
    assert.equal(told, 1);
    assert.equal(await both[0]!.text(), "[]");
  }
  // One without a body can be sent again and again.
  const empty = new Response(null, { status: 404 });
  for (let i = 0; i < 2; i++) assert.equal((await ask(() => empty)).status, 404);
});

test("a response of fetch is sent where a framework has replaced the class Response, as Hono does on Node", async () => {
  const OfFramework = class extends Response {};
  const ofFetch = new Response("[]", { status: 202, headers: { "x-app": "1" } });
  await whileReplaced(globalThis, { Response: OfFramework }, async () => {
    const response = await ask(() => ofFetch);
    assert.deepEqual([response.status, response.headers.get("x-app"), await response.text()], [202, "1", "[]"]);
  });
});

for (const thrown of [UNSHOWABLE, revokedProxy()]) {
  test("an app may throw what throws when it is looked at: the client gets 500, and the app is told", async () => {
    const fail = () => {
      throw thrown;
    };
    for (const handleStoreOrders of [fail, () => Promise.reject(thrown)]) {
      for (const { status, told } of Object.values(await askEverywhere(handleStoreOrders))) {
        assert.equal(status, 500);
        assert.ok(told.length === 1 && told[0] === thrown);
      }
    }
    const { handle } = createPetstore({ keys: fail, onError: () => {} });
    assert.equal((await handle(petRequest("/v1/pets"))).status, 500);
    // The listener of a handle alone shows on the console what was thrown.
    await withListening(createHttpServer(createNodeListener(fail)), async (port) => {
      for (let i = 0; i < 2; i++) assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 500);
    });
  });
}

const PLAIN = "[1,2]";

const CODED: Record<string, Uint8Array> = {
  gzip: gzipSync(PLAIN),
  "X-GZIP": gzipSync(PLAIN),
  br: brotliCompressSync(PLAIN),
  deflate: deflateSync(PLAIN),
  "gzip, br": brotliCompressSync(gzipSync(PLAIN)),
  identity: new TextEncoder().encode(PLAIN),
};

test("what fetch has decoded reaches the client without its coding and its length, and what it has not with both", async () => {
  for (const [coding, bytes] of Object.entries(CODED)) {
    const fields = { "content-encoding": coding, "content-length": String(bytes.length), "x-app": "1" };
    const upstream = createHttpServer((_, response) => void response.writeHead(200, fields).end(bytes));
    await withListening(upstream, async (port) => {
      const fetchUpstream = () => fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } });
      const isDecoded = coding !== "identity" && await (await fetchUpstream()).text() === PLAIN;
      const response = await ask(fetchUpstream);
      const seen = ["content-encoding", "content-length", "x-app"].map((name) => response.headers.get(name));
      assert.deepEqual(seen, isDecoded ? [null, null, "1"] : [coding, String(bytes.length), "1"], coding);
      assert.deepEqual(
        new Uint8Array(await response.arrayBuffer()),
        isDecoded ? CODED["identity"] : new Uint8Array(bytes),
      );
    });
  }
  // What the app has made itself is sent as it is.
  const response = await ask(() => new Response("packed", { headers: { "content-encoding": "gzip" } }));
  assert.equal(response.headers.get("content-encoding"), "gzip");
});
