/**
 * What createNodeListener() on `node:http` makes of a request, byte by byte, on every runtime.
 * tests/heavy/hosts runs the HTTP contract through it.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createPetstore, type ErrorInfo, type Petstore } from "../../mod.ts";
import { exchange, head, KEY, type Listener, WITH_KEY, withServer } from "../support/http/node_exchange.ts";

const PET = '{"name":"Rex","categoryId":9007199254740993}';

/** Targets as a client sends them to the host `pets.example`, and the URL that a handle then gets. */
const URLS: Record<string, string> = {
  "/v1\\pets\\?x=\\": "http://pets.example/v1%5Cpets%5C?x=\\",
  "/v1/pets?limit=1&x=%zz": "http://pets.example/v1/pets?limit=1&x=%zz",
  "//evil.example/v1": "http://pets.example//evil.example/v1",
  "/x/.%2E/v1/./pets?x=/../": "http://pets.example/x/%252e%252e/v1/%252e/pets?x=/../",
  // RFC 9112 §3.2.2: the target has the host, and a user and a password are left out.
  "http://a:b@other.example/v1/pets?limit=2": "http://other.example/v1/pets?limit=2",
};

/** The values of Host, and where a URL then begins. */
const ORIGINS: Record<string, string> = {
  "pets.example:8080": "http://pets.example:8080",
  "[::1]:8080": "http://[::1]:8080",
  "": "http://localhost",
  "a@b": "http://localhost",
  "pets.example/admin?": "http://localhost",
  "a:99999": "http://localhost",
};

test("createNodeListener() gives a handle the URL of the client, or localhost for a wrong host", async () => {
  const seen: string[] = [];
  const listener = createNodeListener(({ url }) => {
    seen.push(url);
    return new Response("seen");
  });
  for (const target of Object.keys(URLS)) await exchange(listener, head(`GET ${target}`, "Host: pets.example"));
  for (const host of Object.keys(ORIGINS)) await exchange(listener, head("GET /v1", `Host: ${host}`));
  assert.deepEqual(seen, [...Object.values(URLS), ...Object.values(ORIGINS).map((origin) => `${origin}/v1`)]);
});

test("createNodeListener() resolves no segment of a target before it looks for a route, and knows originalUrl", async () => {
  const petstore = createPetstore({ keys: [KEY] });
  const found = ["/v1/pets", "http://y/v1/pets", "/v1/pets?x=\\", "/v1/pets?x=/../"];
  const missing = ["*", "/v1/./pets", "/x/%2E./v1/pets", "http://y/./v1/pets", "/v1\\pets", "/x/..\\v1/pets"];
  for (const service of [petstore, petstore.handle]) {
    const listener = createNodeListener(service);
    const mounted: Listener = (request, response) => {
      listener(Object.assign(request, { originalUrl: request.url, url: "/pets" }), response);
    };
    const statusOf = async (target: string) =>
      Number((await exchange(mounted, head(`GET ${target}`, ...WITH_KEY))).split(" ")[1]);
    for (const target of found) assert.equal(await statusOf(target), 200, target);
    for (const target of missing) assert.ok([400, 404].includes(await statusOf(target)), target);
  }
});

interface Before {
  /** What a middleware does with a request before the listener gets it. */
  touch: (request: IncomingMessage) => unknown;
  /** The statuses that a create may then have. Default: 201 alone. */
  statuses?: string[];
}

const BEFORE: Record<string, Before> = {
  "nothing has touched": { touch: () => {} },
  "a middleware has paused": { touch: (request) => request.pause() },
  "waits until it has arrived": { touch: untilArrived },
  "the host keeps as bytes": {
    async touch(request) {
      Object.assign(request, { rawBody: Buffer.concat(await Array.fromAsync(request) as Buffer[]) });
    },
  },
  "setEncoding() has made text of": { touch: (request) => request.setEncoding("utf8"), statuses: ["500"] },
  "another listener reads at the same time": {
    touch: (request) => request.on("data", () => {}),
    statuses: ["201", "500"],
  },
};

async function untilArrived(request: IncomingMessage): Promise<void> {
  while (request.readableLength < PET.length) {
    // This asks for what has arrived, and takes none of it.
    request.read(0);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The head that announces a body, the half of the body that comes with it, and the rest. */
const FRAMINGS = [
  [`Content-Length: ${PET.length}`, PET.slice(0, 20), PET.slice(20)],
  ["Transfer-Encoding: chunked", `14\r\n${PET.slice(0, 20)}\r\n`, `18\r\n${PET.slice(20)}\r\n0\r\n\r\n`],
] as const;

/** Creates a pet through a middleware that does this with the request, in each framing. Resolves to the responses. */
async function createAfter(touch: (request: IncomingMessage) => unknown, listener: Listener): Promise<string[]> {
  const received: string[] = [];
  for (const [field, first, rest] of FRAMINGS) {
    let sendRest = () => {};
    const touched: Listener = async (request, response) => {
      // By then, a middleware that does not wait has had its turn, and the listener too.
      setImmediate(() => sendRest());
      const touching = touch(request);
      if (touching instanceof Promise) await touching;
      listener(request, response);
    };
    received.push(
      await withServer(touched, async (open) => {
        const socket = open(head("POST /v1/pets", ...WITH_KEY, field) + first);
        sendRest = () => socket.write(rest);
        return (await Array.fromAsync(socket)).join("");
      }),
    );
  }
  return received;
}

async function readClone(_key: string | undefined, request: Request): Promise<boolean> {
  await request.clone().text();
  return true;
}

for (const [what, { touch, statuses = ["201"] }] of Object.entries(BEFORE)) {
  test(`a body that ${what} is read whole or gets 500, by a petstore, by a handle, after a verifier and from a copy`, async () => {
    const told: unknown[] = [];
    const onError = ({ error }: ErrorInfo) => told.push(error);
    const petstore = createPetstore({ keys: [KEY], onError });
    const verified = createPetstore({ keys: readClone, onError });
    const received: string[] = [];
    const ofCopy = (request: Request) => petstore.handle(new Request(request, { headers: request.headers }));
    const ofClone = (request: Request) => petstore.handle(request.clone());
    for (const service of [petstore, petstore.handle, verified, ofCopy, ofClone]) {
      received.push(...await createAfter(touch, createNodeListener(service)));
    }
    for (const response of received) {
      assert.ok(statuses.some((status) => response.startsWith(`HTTP/1.1 ${status} `)), response);
      assert.match(response, /"categoryId":9007199254740993|"internal_error"/);
    }
    assert.equal(told.length, received.filter((response) => response.startsWith("HTTP/1.1 500 ")).length);
  });
}

test("a copy of a request whose method no Request may have gets the response of the request itself", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  const copies: ((request: Request) => Request)[] = [
    (request) => request,
    (request) => request.clone(),
    (request) => new Request(request, { headers: request.headers }),
  ];
  for (const copy of copies) {
    const received = await exchange(
      createNodeListener((request) => handle(copy(request))),
      head("TRACE /v1/pets", ...WITH_KEY),
    );
    assert.match(received, /^HTTP\/1\.1 405 /);
  }
});

test("createNodeListener() reads the headers of a request that has no raw ones, and answers 500 to those of no Request", async () => {
  const keys = (_key: string | undefined, { headers }: Request) => headers.get("x-many") === "a, b";
  const listener = createNodeListener(createPetstore({ keys }));
  const text = head("POST /v1/pets", ...WITH_KEY, "X-Many: a", "X-Many: b", `Content-Length: ${PET.length}`) + PET;
  // serverless-http makes such requests.
  const withoutRaw: Listener = (request, response) => {
    const headers = { value: { ...request.headers, "x-none": undefined } };
    listener(Object.defineProperties(request, { headers, rawHeaders: { value: [] } }), response);
  };
  assert.match(await exchange(withoutRaw, text), /^HTTP\/1\.1 201 /);
  const withOdd: Listener = (request, response) => {
    request.rawHeaders.push("x-odd", "a\0b");
    listener(request, response);
  };
  assert.match(await exchange(withOdd, text), /^HTTP\/1\.1 500 /);
});

test("createNodeListener() takes a petstore or a handle, handle() takes a Request, and both say what is wrong otherwise", async () => {
  assert.throws(() => createNodeListener({} as Petstore), /^TypeError: createNodeListener\(\) takes a petstore/);
  const { handle } = createPetstore({ keys: [KEY] });
  await exchange(async (request, response) => {
    const message = /^TypeError: handle\(\) takes a Request; node:http needs createNodeListener\(\)/;
    await assert.rejects(handle(request as unknown as Request), message);
    response.end();
  }, head("GET /v1/pets", "Host: x"));
});
