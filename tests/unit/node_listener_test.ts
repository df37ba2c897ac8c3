/** createNodeListener() on `node:http`, byte by byte, on every runtime. tests/heavy/hosts runs the HTTP contract through it. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { NodeContext } from "../../lib/hosts/node_context.ts";
import { createPetstore, type Petstore } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";

const KEY = "pk_test";
const PET = '{"name":"Rex","categoryId":9007199254740993}';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves on a free port while `use` runs. `open` opens a connection and sends a text. */
function withServer<T>(listener: Listener, use: (open: (text: string) => Socket) => Promise<T>): Promise<T> {
  return withListening(createServer(listener), (port) =>
    use((text) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(text));
      // The text is read as the bytes of a head are.
      return socket.setEncoding("latin1");
    }));
}

/** Sends a text over a connection, and resolves with all that comes back until the server closes it. */
function exchange(listener: Listener, text: string): Promise<string> {
  return withServer(listener, async (open) => (await Array.fromAsync(open(text))).join(""));
}

function head(line: string, ...fields: string[]): string {
  return [`${line} HTTP/1.1`, ...fields, "Connection: close", "", ""].join("\r\n");
}

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

test("createNodeListener() answers 500 for a body that a parser has read, and tells onError why", async () => {
  const told: unknown[] = [];
  const { handle } = createPetstore({ keys: [KEY], onError: ({ error }) => told.push(error) });
  const listener = createNodeListener(handle);
  const parseFirst: Listener = (request, response) => {
    request.resume().on("end", () => listener(request, response));
  };
  const fields = ["Host: x", `Authorization: Bearer ${KEY}`, `Content-Length: ${PET.length}`];
  const received = await exchange(parseFirst, head("POST /v1/pets", ...fields) + PET);
  assert.match(received, /^HTTP\/1\.1 500 /);
  assert.match(String(told[0]), /body has already been read/);
});

test("createNodeListener() takes a body that the host has read and kept as bytes", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  const petstore = createNodeListener(createPetstore({ keys: [KEY] }));
  const plain = createNodeListener(handle);
  const fields = ["Host: a", `Authorization: Bearer ${KEY}`];
  const framings = [[`Content-Length: ${PET.length}`, PET], [
    "Transfer-Encoding: chunked",
    `${PET.length.toString(16)}\r\n${PET}\r\n0\r\n\r\n`,
  ]];
  for (const listener of [petstore, plain]) {
    const listen: Listener = async (request, response) => {
      const rawBody = Buffer.concat(await Array.fromAsync(request) as Buffer[]);
      listener(Object.assign(request, { rawBody }), response);
    };
    for (const [framing = "", body = ""] of framings) {
      const answer = await exchange(listen, head("POST /v1/pets", ...fields, framing) + body);
      assert.match(answer, /^HTTP\/1\.1 201 /, framing);
      assert.match(answer, /"categoryId":9007199254740993/);
    }
    const long = `{"name":"Rex","categoryId":1,"note":"${"x".repeat(70_000)}"}`;
    const refused = await exchange(listen, head("POST /v1/pets", ...fields, `Content-Length: ${long.length}`) + long);
    assert.match(refused, /^HTTP\/1\.1 413 /);
    assert.match(await exchange(listen, head("GET /v1/pets/1", ...fields)), /^HTTP\/1\.1 200 /);
  }
});

test("createNodeListener() aborts the signals of a request and of its clone when the client leaves", async () => {
  const aborted = Promise.withResolvers<unknown>();
  let leave = () => {};
  const listener = createNodeListener(async (request) => {
    const signals = [request.signal, request.clone().signal];
    leave();
    aborted.resolve(Promise.all(signals.map((signal) => once(signal, "abort"))));
    await aborted.promise;
    return new Response();
  });
  await withServer(listener, async (open) => {
    const socket = open(head("GET /", "Host: x"));
    leave = () => socket.destroy();
    await aborted.promise;
  });
});

test("createNodeListener() aborts no signal after a whole response", async () => {
  const closed = Promise.withResolvers<AbortSignal>();
  await exchange((incoming, outgoing) => {
    createNodeListener((request) => {
      outgoing.on("close", () => setImmediate(() => closed.resolve(request.signal)));
      return Promise.resolve(new Response(`whole: ${request.signal.aborted}`));
    })(incoming, outgoing);
  }, head("GET /", "Host: x", "Connection: close"));
  assert.equal((await closed.promise).aborted, false);
});

test("createNodeListener() keeps headers that were set before, except those of the response", async () => {
  const listener = createNodeListener(() => new Response("x", { headers: { "x-b": "response" } }));
  const received = await exchange((request, response) => {
    response.setHeader("x-a", "app").setHeader("x-b", "app");
    listener(request, response);
  }, head("GET /", "Host: x"));
  assert.match(received, /^x-a: app\r$/im);
  assert.match(received, /^x-b: response\r$/im);
});

/** A body of three pieces that come one by one, with this end. */
function threePieces(end: (controller: ReadableStreamDefaultController) => void): ReadableStream {
  let left = 3;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve));
      if (left-- > 0) controller.enqueue(new TextEncoder().encode("1234"));
      else end(controller);
    },
  }, { highWaterMark: 0 });
}

test("createNodeListener() breaks off a response whose body fails, so that the client cannot take it as complete", async () => {
  const listener = createNodeListener(() => new Response(threePieces((body) => body.error(new Error("broken")))));
  const received = await exchange(listener, head("GET /", "Host: x")).catch((error) => String(error));
  assert.ok(!received.endsWith("0\r\n\r\n"), received);
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

test("createNodeListener() answers 500 for a handle that throws or returns no Response, and reports why", async (t) => {
  const error = t.mock.method(console, "error", () => {});
  for (const handle of [() => Promise.reject(new Error("broken")), () => undefined]) {
    const listener = createNodeListener(handle as () => Promise<Response>);
    const received = await exchange(listener, head("GET /", "Host: x"));
    assert.match(received, /^HTTP\/1\.1 500 [^]*"code":"internal_error"/);
  }
  const [first, second] = error.mock.calls.map(({ arguments: [thrown] }) => String(thrown));
  assert.equal(first, "Error: broken");
  assert.match(second ?? "", /must answer with a Response/);
  error.mock.restore();
});

test("createNodeListener() sends the head of a response before the first piece of its body", async () => {
  const begun = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(controller) {
      await begun.promise;
      controller.close();
    },
  }, { highWaterMark: 0 });
  await withServer(createNodeListener(() => new Response(body, { headers: { "x-head": "sent" } })), async (open) => {
    const socket = open(head("GET /", "Host: x"));
    const [first] = await once(socket, "data") as [string];
    assert.match(first, /^x-head: sent\r$/im);
    begun.resolve();
    await once(socket.resume(), "close");
  });
});

test("createNodeListener() cancels every body whose client leaves, even before its first piece", async () => {
  const bodies = Array.from({ length: 50 }, () => Promise.withResolvers<void>());
  let count = 0;
  const handleStoreOrders = () => new Response(new ReadableStream({ cancel: bodies[count++]!.resolve }));
  await withServer(createNodeListener(createPetstore({ keys: [KEY], handleStoreOrders })), async (open) => {
    for (const { promise } of bodies) {
      const socket = open(`GET /v1/store/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
      await once(socket, "data");
      socket.destroy();
      await promise;
    }
  });
});

test("createNodeListener() resolves no segment of a target before it looks for a route", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  const listener = createNodeListener(createPetstore({ keys: [KEY] }));
  const byRequest = createNodeListener((request) => handle(request));
  const statusOf = async (target: string, through: typeof listener) => {
    const received = await exchange(through, head(`GET ${target}`, "Host: x", `Authorization: Bearer ${KEY}`));
    return Number(received.split(" ")[1]);
  };
  const found = ["/v1/pets", "/v1/pets#x", "http://y/v1/pets", "/v1/pets?x=\\", "/v1/pets?x=/../"];
  const missing = [
    "/v1/pets/",
    "//v1/pets",
    "*",
    "pets",
    "/v1/./pets",
    "/x/../v1/pets",
    "/v1/%2e/pets",
    "/x/%2E./v1/pets",
    "/v1/pets/.",
    "/v1/x/..",
    "http://y/./v1/pets",
    "/v1\\pets",
    "/.\\v1/pets",
    "/x\\../v1/pets",
    "/x/..\\v1/pets",
    "http://y\\v1/pets",
    "\\v1\\pets",
  ];
  for (const through of [listener, byRequest]) {
    for (const target of found) assert.equal(await statusOf(target, through), 200, target);
    for (const target of missing) assert.ok([400, 404].includes(await statusOf(target, through)), target);
  }
});

test("createNodeListener() answers 500 where no Request can be made of what the client has sent", async () => {
  const listener = createNodeListener(createPetstore({ keys: () => true }));
  const received = await exchange((request, response) => {
    request.rawHeaders.push("x-odd", "a\0b");
    listener(request, response);
  }, head("GET /v1/pets", "Host: x", `Authorization: Bearer ${KEY}`));
  assert.match(received, /^HTTP\/1\.1 500 /);
});

test("createNodeListener() reads the headers of a request that has no raw ones, as serverless-http makes it", async () => {
  const keys = (_key: string | undefined, { headers }: Request) =>
    headers.get("x-many") === "a, b" && !headers.has("x-none");
  for (const [petstore, value] of [[createPetstore({ keys: [KEY] }), []], [createPetstore({ keys })]] as const) {
    const listener = createNodeListener(petstore);
    const fields = [
      "Host: x",
      `Authorization: Bearer ${KEY}`,
      "X-Many: a",
      "X-Many: b",
      `Content-Length: ${PET.length}`,
    ];
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
  const fields = ["Host: x", `Authorization: Bearer ${KEY}`];
  const whole = head("POST /v1/pets", ...fields, `Content-Length: ${PET.length}`) + PET;
  const chunked = head("POST /v1/pets", ...fields, "Transfer-Encoding: chunked") +
    `${PET.length.toString(16)}\r\n${PET}\r\n0\r\n\r\n`;
  for (const text of [whole, chunked]) assert.match(await exchange(listener, text), /^HTTP\/1\.1 201 /);
  assert.deepEqual(bodies, [PET, PET]);
});

test("createNodeListener() calls an empty body empty, even after a parser has waited for its end", async () => {
  const listener = createNodeListener(createPetstore({ keys: [KEY] }));
  const parseFirst: Listener = (request, response) => {
    request.resume().on("end", () => setImmediate(() => listener(request, response)));
  };
  const text = head("POST /v1/pets", "Host: x", `Authorization: Bearer ${KEY}`, "Content-Length: 0");
  assert.match(await exchange(parseFirst, text), /it is empty/);
});

test("createNodeListener() cancels a body whose client has left before the Response was made", async () => {
  const begun = Promise.withResolvers<IncomingMessage>();
  const made = Promise.withResolvers<Response>();
  const cancelled = Promise.withResolvers<void>();
  const listener = createNodeListener(() => made.promise);
  await withServer((request, response) => {
    response.on("close", () => made.resolve(new Response(new ReadableStream({ cancel: () => cancelled.resolve() }))));
    listener(request, response);
    begun.resolve(request);
  }, async (open) => {
    const socket = open(head("GET /", "Host: x"));
    await begun.promise;
    socket.destroy();
    await cancelled.promise;
  });
});

test("createNodeListener() answers 500 for a Response that cannot be sent, with none of its headers", async (t) => {
  const error = t.mock.method(console, "error", () => {});
  const cancelled = Promise.withResolvers<void>();
  const read = new Response("woof", { headers: { "content-encoding": "gzip" } });
  await read.text();
  const headers = { "content-encoding": "gzip", "x-odd": "a\x01b" };
  for (const response of [read, new Response(new ReadableStream({ cancel: cancelled.resolve }), { headers })]) {
    const received = await exchange(createNodeListener(() => response), head("GET /", "Host: x"));
    assert.match(received, /^HTTP\/1\.1 500 /);
    assert.doesNotMatch(received, /content-encoding/i);
  }
  await cancelled.promise;
  error.mock.restore();
});

test("createNodeListener() sends the bytes of a header as they are", async () => {
  const headers = { "content-disposition": 'attachment; filename="h\u00fcnde"' };
  const listener = createNodeListener(() => new Response("woof", { headers }));
  assert.match(await exchange(listener, head("GET /", "Host: x")), /filename="h\u00fcnde"/);
});

test("a body rejects if its client leaves halfway, and resolves if the client leaves after it", async () => {
  for (const [sent, isWhole] of [["{}", true], ["{", false]] as const) {
    const read = Promise.withResolvers<boolean>();
    let leave = () => {};
    await withServer((request, response) => {
      new NodeContext(request, response).readBody().then(() => read.resolve(true), () => read.resolve(false));
      if (isWhole) read.promise.then(leave);
      else leave();
    }, async (open) => {
      const socket = open(`${head("POST /v1/pets", "Host: x", "Content-Length: 2")}${sent}`);
      leave = () => socket.destroy();
      assert.equal(await read.promise, isWhole);
    });
  }
});

test("createNodeListener() answers pipelined requests in order, with bodies that come with their heads or after them", async () => {
  const petstore = createPetstore({ keys: [KEY] });
  const names = ["Rex", "H\u00fcnd\u{1f436}", "Ada"];
  const create = (name: string, ...fields: string[]) => {
    const body = Buffer.from(`{"name":"${name}","categoryId":1}`);
    const length = `Content-Length: ${body.length}`;
    const text = ["POST /v1/pets HTTP/1.1", "Host: x", `Authorization: Bearer ${KEY}`, length, ...fields, "", ""].join(
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

test("createNodeListener() can use a connection after a body that it has refused in the middle", async () => {
  const petstore = createPetstore({ keys: [KEY], maxBodyBytes: 20_000 });
  const fields = ["Host: x", `Authorization: Bearer ${KEY}`];
  const chunk = `4000\r\n${" ".repeat(0x4000)}\r\n`;
  const refused = ["POST /v1/pets HTTP/1.1", ...fields, "Transfer-Encoding: chunked", "", ""].join("\r\n") +
    `${chunk.repeat(40)}0\r\n\r\n`;
  const received = await exchange(
    createNodeListener(petstore),
    refused + head("GET /v1/pets", ...fields),
  );
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 413", "HTTP/1.1 200"]);
});

test("createNodeListener() can use a connection after a verifier has read a part of a body", async () => {
  const readsPart = async ({ body }: Request) => void await body?.getReader().read();
  const verifiers: [status: number, verify: (request: Request) => Promise<boolean>][] = [
    [401, (request) => readsPart(request).then(() => false)],
    [401, (request) => readsPart(request.clone()).then(() => false)],
    [401, (request) => readsPart(new Request(request)).then(() => false)],
    [413, (request) => readsPart(request.clone()).then(() => true)],
  ];
  const fields = ["Host: x", `Authorization: Bearer ${KEY}`];
  const body = " ".repeat(300_000);
  const framings = [
    [`Content-Length: ${body.length}`, body],
    ["Transfer-Encoding: chunked", `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
  ] as const;
  await Promise.all(verifiers.map(async ([status, verify]) => {
    const keys = (_key: string | undefined, request: Request) => request.method === "GET" || verify(request);
    const listener = createNodeListener(createPetstore({ keys }));
    for (const [field, framed] of framings) {
      const post = ["POST /v1/pets HTTP/1.1", ...fields, field, "", ""].join("\r\n") + framed;
      const received = await exchange(listener, post + head("GET /v1/pets", ...fields));
      assert.deepEqual(
        received.match(/HTTP\/1\.1 \d+/g),
        [`HTTP/1.1 ${status}`, "HTTP/1.1 200"],
        `${verify}, ${field}`,
      );
    }
  }));
});

test("createNodeListener() lets an app read a body to its end after the response was sent", async () => {
  const body = "x".repeat(300_000);
  let text: Promise<string> | undefined;
  const listener = createNodeListener((request) => {
    text = request.text();
    return new Response("seen");
  });
  await withServer(listener, async (open) => {
    const socket = open(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 1000)}`);
    await once(socket, "data");
    socket.write(body.slice(1000));
    assert.equal(await text, body);
    socket.destroy();
  });
});

test("createNodeListener() closes the connection after a request with Upgrade, which it does not carry out", async () => {
  const fields = ["Host: x", `Authorization: Bearer ${KEY}`, "Connection: Upgrade", "Upgrade: h2c", "", ""];
  const received = await exchange(
    createNodeListener(createPetstore({ keys: [KEY] })),
    ["GET /v1/pets HTTP/1.1", ...fields].join("\r\n"),
  );
  assert.match(received, /^HTTP\/1\.1 200 /);
  assert.match(received, /\r\nconnection: close\r\n/i);
});
