/** What createNodeListener() on `node:http` makes of a request, byte by byte, on every runtime. tests/heavy/hosts runs the HTTP contract through it. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createPetstore, type Petstore } from "../../mod.ts";
import { exchange, framingsOf, head, KEY, type Listener, WITH_KEY, withServer } from "../support/http/node_exchange.ts";

const PET = '{"name":"Rex","categoryId":9007199254740993}';

/** The `Request` that a handle gets. */
async function seen(text: string, change: (request: IncomingMessage) => void = () => {}): Promise<Request> {
  let given: Request | undefined;
  const listener = createNodeListener((request) => {
    given = request;
    return new Response("seen");
  });
  await exchange((request, response) => {
    change(request);
    listener(request, response);
  }, text);
  assert.ok(given);
  return given;
}

test("createNodeListener() gives the method and the URL of the client in each of its forms", async () => {
  const url = async (target: string, host = "pets.example:8080", change?: (request: IncomingMessage) => void) => {
    const { method, url } = await seen(
      head(target.startsWith("TRACE") ? target : `GET ${target}`, `Host: ${host}`),
      change,
    );
    return method === "GET" ? url : `${method} ${url}`;
  };
  assert.equal(await url("/v1\\pets\\?x=\\"), "http://pets.example:8080/v1%5Cpets%5C?x=\\");
  assert.equal(await url("/v1/pets?limit=1&x=%zz"), "http://pets.example:8080/v1/pets?limit=1&x=%zz");
  assert.equal(await url("//evil.example/v1"), "http://pets.example:8080//evil.example/v1");
  // RFC 9112 §3.2.2: the target has the host, and a user and a password are left out.
  assert.equal(await url("http://a:b@other.example/v1/pets?limit=2"), "http://other.example/v1/pets?limit=2");
  assert.equal(await url("/x/.%2E/v1/./pets?x=/../"), "http://pets.example:8080/x/%252e%252e/v1/%252e/pets?x=/../");
  assert.equal(await url("TRACE /v1/pets"), "TRACE http://pets.example:8080/v1/pets");
  const strip = (request: IncomingMessage) => Object.assign(request, { originalUrl: request.url, url: "/pets" });
  assert.equal(await url("/v1/pets", "[::1]:80", strip), "http://[::1]/v1/pets");
  const hosts = [
    "pets.example/admin?",
    "a@b",
    "x#",
    "pets example",
    "a\\b",
    "",
    "a:99999",
    "999.999.999.999",
    "[::::]",
  ];
  for (const host of hosts) assert.equal(await url("/v1/pets", host), "http://localhost/v1/pets", host);
});

test("createNodeListener() resolves no segment of a target before it looks for a route", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  const listener = createNodeListener(createPetstore({ keys: [KEY] }));
  const byRequest = createNodeListener((request) => handle(request));
  const statusOf = async (target: string, through: typeof listener) => {
    const received = await exchange(through, head(`GET ${target}`, ...WITH_KEY));
    return Number(received.split(" ")[1]);
  };
  const found = ["/v1/pets", "/v1/pets#x", "http://y/v1/pets", "/v1/pets?x=\\", "/v1/pets?x=/../"];
  const missing = [
    "/v1/pets/",
    "*",
    "/v1/./pets",
    "/x/../v1/pets",
    "/x/%2E./v1/pets",
    "/v1/pets/.",
    "http://y/./v1/pets",
    "/v1\\pets",
    "/x/..\\v1/pets",
    "http://y\\v1/pets",
  ];
  for (const through of [listener, byRequest]) {
    for (const target of found) assert.equal(await statusOf(target, through), 200, target);
    for (const target of missing) assert.ok([400, 404].includes(await statusOf(target, through)), target);
  }
});

test("createNodeListener() takes a body that the host has read and kept as bytes", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  const petstore = createNodeListener(createPetstore({ keys: [KEY] }));
  const plain = createNodeListener(handle);
  for (const listener of [petstore, plain]) {
    const listen: Listener = async (request, response) => {
      const rawBody = Buffer.concat(await Array.fromAsync(request) as Buffer[]);
      listener(Object.assign(request, { rawBody }), response);
    };
    for (const [framing, body] of framingsOf(PET)) {
      const answer = await exchange(listen, head("POST /v1/pets", ...WITH_KEY, framing) + body);
      assert.match(answer, /^HTTP\/1\.1 201 /, framing);
      assert.match(answer, /"categoryId":9007199254740993/);
    }
  }
});

test("createNodeListener() answers 500 where no Request can be made of what the client has sent", async () => {
  const listener = createNodeListener(createPetstore({ keys: () => true }));
  const received = await exchange((request, response) => {
    request.rawHeaders.push("x-odd", "a\0b");
    listener(request, response);
  }, head("GET /v1/pets", ...WITH_KEY));
  assert.match(received, /^HTTP\/1\.1 500 /);
});

test("createNodeListener() reads the headers of a request that has no raw ones, as serverless-http makes it", async () => {
  const keys = (_key: string | undefined, { headers }: Request) =>
    headers.get("x-many") === "a, b" && !headers.has("x-none");
  for (const [petstore, value] of [[createPetstore({ keys: [KEY] }), []], [createPetstore({ keys })]] as const) {
    const listener = createNodeListener(petstore);
    const fields = [...WITH_KEY, "X-Many: a", "X-Many: b", `Content-Length: ${PET.length}`];
    const received = await exchange((request, response) => {
      const headers = { value: { ...request.headers, "x-none": undefined } };
      listener(Object.defineProperties(request, { headers, rawHeaders: { value } }), response);
    }, head("POST /v1/pets", ...fields) + PET);
    assert.match(received, /^HTTP\/1\.1 201 /);
  }
});

test("createNodeListener() lets a verifier read a clone of the request", async () => {
  const bodies: string[] = [];
  const keys = async (_key: string | undefined, request: Request) => {
    bodies.push(await request.clone().text());
    return true;
  };
  const listener = createNodeListener(createPetstore({ keys }));
  for (const [framing, body] of framingsOf(PET)) {
    assert.match(await exchange(listener, head("POST /v1/pets", ...WITH_KEY, framing) + body), /^HTTP\/1\.1 201 /);
  }
  assert.deepEqual(bodies, [PET, PET]);
});

test("an app that reads on after the rest of a body was discarded gets an error, not the end of the body", async () => {
  const readers: ReadableStreamDefaultReader[] = [];
  const listener = createNodeListener(async ({ body }) => {
    if (body) await readers[readers.push(body.getReader()) - 1]!.read();
    return new Response();
  });
  const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n${" ".repeat(300_000)}`;
  await exchange(listener, post + head("GET /", "Host: x"));
  // Bun reads the next request of the connection before the discard, and Node after it.
  const closed = Promise.race([readers[0]!.closed, once(AbortSignal.timeout(10_000), "abort")]);
  await assert.rejects(closed, /rest of the request body was discarded/);
});

test("createNodeListener() calls an empty body empty, even after a parser has waited for its end", async () => {
  const listener = createNodeListener(createPetstore({ keys: [KEY] }));
  const parseFirst: Listener = (request, response) => {
    request.resume().on("end", () => setImmediate(() => listener(request, response)));
  };
  const text = head("POST /v1/pets", ...WITH_KEY, "Content-Length: 0");
  assert.match(await exchange(parseFirst, text), /it is empty/);
});

test("createNodeListener() answers pipelined requests in order, with bodies that come with their heads or after them", async () => {
  const petstore = createPetstore({ keys: [KEY] });
  const names = ["Rex", "H\u00fcnd\u{1f436}", "Ada"];
  const create = (name: string, ...fields: string[]) => {
    const body = Buffer.from(`{"name":"${name}","categoryId":1}`);
    const length = `Content-Length: ${body.length}`;
    const text = ["POST /v1/pets HTTP/1.1", ...WITH_KEY, length, ...fields, "", ""].join(
      "\r\n",
    );
    return Buffer.concat([Buffer.from(text), body]);
  };
  const received = await withServer(createNodeListener(petstore), async (open) => {
    const socket = open("");
    const [first, second, third] = [create(names[0]!), create(names[1]!), create(names[2]!, "Connection: close")];
    // The first two come whole, and the third up to the middle of its body.
    socket.write(Buffer.concat([first, second, third.subarray(0, -5)]));
    let text = "";
    for await (const piece of socket) {
      const before = text.split("HTTP/1.1 201").length;
      text += piece;
      if (before < 3 && text.split("HTTP/1.1 201").length === 3) socket.write(third.subarray(-5));
    }
    return Buffer.from(text, "latin1").toString();
  });
  const bodies = names.map((name, i) => `{"id":${i + 1},"name":"${name}","categoryId":1,"status":"available"}`);
  assert.deepEqual(received.match(/^\{.*?\}/gm), bodies);
  assert.deepEqual(
    [...received.matchAll(/^content-length: (\d+)/gim)].map(([, length]) => Number(length)),
    bodies.map((body) => Buffer.byteLength(body)),
  );
});

test("createNodeListener() throws a TypeError for anything but a petstore or a handle", () => {
  for (const wrong of [undefined, null, 7, {}, { handle: 7 }]) {
    assert.throws(() => createNodeListener(wrong as unknown as Petstore), {
      name: "TypeError",
      message: "createNodeListener() takes a petstore, such as createPetstore({ keys: [key] })",
    });
  }
  assert.throws(() => createNodeListener(Promise.resolve() as unknown as Petstore), /; await the promise$/);
});

test("handle() rejects anything but a Request, and names createNodeListener() for node:http", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  const message = /^TypeError: handle\(\) takes a Request; node:http needs createNodeListener\(\)/;
  await assert.rejects(handle(undefined as unknown as Request), message);
  await exchange(async (request, response) => {
    await assert.rejects(handle(request as unknown as Request), message);
    response.end();
  }, head("GET /v1/pets", "Host: x"));
});
