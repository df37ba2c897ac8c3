/** From `node:http` to a petstore and back, on every runtime. tests/hosts runs the HTTP contract through it. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createPetstore, type Petstore } from "../../mod.ts";

const KEY = "pk_test";
const PET = '{"name":"Rex","categoryId":9007199254740993}';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Sends text over a connection of its own, and resolves with all that comes back until the server closes it. */
async function exchange(listener: Listener, text: string): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      let answer = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(text));
      socket.setEncoding("utf8").on("data", (piece) => answer += piece).on("end", () => socket.end());
      socket.on("close", () => resolve(answer)).on("error", reject);
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

function head(line: string, ...fields: string[]): string {
  return [`${line} HTTP/1.1`, ...fields, "Connection: close", "", ""].join("\r\n");
}

/** What the handler is given for a request. */
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

test("createNodeListener() serves a petstore, int64 exact and with Content-Length", async () => {
  const petstore = createPetstore({ keys: [KEY] });
  const fields = ["Host: pets.example", `Authorization: Bearer ${KEY}`, `Content-Length: ${PET.length}`];
  const answer = await exchange(createNodeListener(petstore), head("POST /v1/pets", ...fields) + PET);
  const json = '{"id":1,"name":"Rex","categoryId":9007199254740993,"status":"available"}';
  assert.match(answer, /^HTTP\/1\.1 201 Created\r\n/);
  assert.match(answer, new RegExp(`^content-length: ${json.length}\r$`, "im"));
  assert.match(answer, /^location: \/v1\/pets\/1\r$/im);
  assert.equal(answer.split("\r\n\r\n")[1], json);
});

test("createNodeListener() gives the URL that the client asked for, whatever form it has and whoever cut it", async () => {
  const url = async (target: string, host = "pets.example:8080", change?: (request: IncomingMessage) => void) =>
    (await seen(head(`GET ${target}`, `Host: ${host}`), change)).url;
  assert.equal(await url("/v1/pets?limit=1&x=%zz"), "http://pets.example:8080/v1/pets?limit=1&x=%zz");
  assert.equal(await url("//evil.example/v1"), "http://pets.example:8080//evil.example/v1");
  assert.equal(await url("http://other.example/v1/pets?limit=2"), "http://other.example/v1/pets?limit=2");
  const strip = (request: IncomingMessage) => Object.assign(request, { originalUrl: request.url, url: "/pets" });
  assert.equal(await url("/v1/pets", "[::1]:80", strip), "http://[::1]/v1/pets");
});

test("createNodeListener() lets no Host header change the path", async () => {
  for (
    const host of [
      "pets.example/admin?",
      "a@b",
      "x#",
      "pets example",
      "a\\b",
      "",
      "a:99999",
      "999.999.999.999",
      "[::::]",
    ]
  ) {
    assert.equal((await seen(head("GET /v1/pets", `Host: ${host}`))).url, "http://localhost/v1/pets", host);
  }
});

test("createNodeListener() drops none of two Authorization headers, so that neither is chosen", async () => {
  const twice = head("GET /v1/pets", "Host: x", `Authorization: Bearer ${KEY}`, "Authorization: Bearer other");
  assert.equal((await seen(twice)).headers.get("authorization"), `Bearer ${KEY}, Bearer other`);
  assert.match(await exchange(createNodeListener(createPetstore({ keys: [KEY] }).handle), twice), /^HTTP\/1\.1 401 /);
});

test("createNodeListener() passes on methods that the constructor of Request refuses", async () => {
  assert.equal((await seen(head("TRACE /v1/pets", "Host: x"))).method, "TRACE");
});

test("createNodeListener() answers 500 for a body that a parser has read, and tells onError why", async () => {
  const told: unknown[] = [];
  const { handle } = createPetstore({ keys: [KEY], onError: (error) => told.push(error) });
  const listener = createNodeListener(handle);
  const parseFirst: Listener = (request, response) => {
    request.resume().on("end", () => listener(request, response));
  };
  const fields = ["Host: x", `Authorization: Bearer ${KEY}`, `Content-Length: ${PET.length}`];
  const answer = await exchange(parseFirst, head("POST /v1/pets", ...fields) + PET);
  assert.match(answer, /^HTTP\/1\.1 500 /);
  assert.match(String(told[0]), /body has been read before/);
});

test("createNodeListener() aborts the signal of a request whose client goes away, and that of its copy", async () => {
  let told: (reasons: unknown[]) => void = () => {};
  const aborted = new Promise<unknown[]>((resolve) => told = resolve);
  const server = createServer(createNodeListener(async (request) => {
    const signals = [request.signal, request.clone().signal];
    socket.destroy();
    const all = signals.map((signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(true)))
    );
    told(await Promise.all(all));
    return new Response();
  }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect(
    (server.address() as AddressInfo).port,
    "127.0.0.1",
    () => socket.write(head("GET /", "Host: x")),
  );
  assert.deepEqual(await aborted, [true, true]);
  await new Promise((resolve) => server.close(resolve));
});

test("createNodeListener() keeps the headers that were set before", async () => {
  const listener = createNodeListener(() => new Response("x", { headers: { "x-b": "answer" } }));
  const answer = await exchange((request, response) => {
    response.setHeader("x-a", "app").setHeader("x-b", "app");
    listener(request, response);
  }, head("GET /", "Host: x"));
  assert.match(answer, /^x-a: app\r$/im);
  assert.match(answer, /^x-b: answer\r$/im);
});

test("createNodeListener() breaks off an answer whose body fails, so that no client takes it for whole", async () => {
  let pieces = 0;
  const body = () =>
    new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        if (pieces++ < 3) controller.enqueue(new TextEncoder().encode("piece"));
        else controller.error(new Error("broken"));
      },
    });
  const answer = await exchange(createNodeListener(() => new Response(body())), head("GET /", "Host: x"))
    .catch((error) => String(error));
  assert.ok(!answer.endsWith("0\r\n\r\n"), answer);
});

test("createNodeListener() breaks off an answer whose body ends short of its Content-Length", async () => {
  /** Three pieces, which come one after the other: 12 of 100 bytes. */
  const shortBody = () => {
    let left = 3;
    return new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (left-- > 0) controller.enqueue(new TextEncoder().encode("1234"));
        else controller.close();
      },
    }, { highWaterMark: 0 });
  };
  const headers = { "content-length": "100" };
  const listener = createNodeListener(() => new Response(shortBody(), { headers }));
  // The answer to the second request on the connection would pass for the rest of the first one.
  const text = "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  let answers = "";
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => socket.write(text));
  socket.setEncoding("utf8").on("data", (piece) => answers += piece).on("error", () => {});
  await new Promise((resolve) => socket.on("close", resolve));
  await new Promise((resolve) => server.close(resolve));
  assert.equal(answers.split("HTTP/1.1 ").length, 2, answers);
});

test("createNodeListener() refuses what is neither a petstore nor a handle, and says what it takes", () => {
  for (const wrong of [undefined, null, 7, {}, { handle: 7 }]) {
    assert.throws(() => createNodeListener(wrong as unknown as Petstore), {
      name: "TypeError",
      message: "createNodeListener() takes a petstore, such as createPetstore({ keys: [key] })",
    });
  }
  assert.throws(() => createNodeListener(Promise.resolve() as unknown as Petstore), /; await the promise$/);
});

test("handle() without a Request is rejected, and says what node:http needs", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  await assert.rejects(handle(undefined as unknown as Request), /^TypeError: handle\(\) takes a Request, such as/);
  const rejected = Promise.withResolvers<unknown>();
  await exchange((request, response) => {
    handle(request as unknown as Request).catch(rejected.resolve).finally(() => response.end());
  }, head("GET /v1/pets", "Host: x"));
  assert.match(String(await rejected.promise), /TypeError: .* node:http, pass createNodeListener\(petstore\)/);
});

test("createNodeListener() serves a petstore whose handle an app has wrapped through that handle", async () => {
  const petstore = createPetstore({ keys: [KEY] });
  const wrapped = { ...petstore, handle: () => Response.json("wrapped") };
  assert.match(await exchange(createNodeListener(wrapped), head("GET /v1/pets", "Host: x")), /"wrapped"/);
});

test("createNodeListener() answers 500 for a handle that throws or answers nothing, and reports why", async (t) => {
  const error = t.mock.method(console, "error", () => {});
  for (const handle of [() => Promise.reject(new Error("broken")), () => undefined]) {
    const listener = createNodeListener(handle as () => Promise<Response>);
    const answer = await exchange(listener, head("GET /", "Host: x"));
    assert.match(answer, /^HTTP\/1\.1 500 [^]*"code":"internal_error"/);
  }
  const [first, second] = error.mock.calls.map(({ arguments: [thrown] }) => String(thrown));
  assert.equal(first, "Error: broken");
  assert.match(second ?? "", /must answer with a Response/);
  error.mock.restore();
});

test("createNodeListener() sends the head of an answer before its body has begun", async () => {
  const begun = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(controller) {
      await begun.promise;
      controller.close();
    },
  }, { highWaterMark: 0 });
  const server = await listen(createNodeListener(() => new Response(body, { headers: { "x-head": "sent" } })));
  const socket = connect(server.port, "127.0.0.1", () => socket.write(head("GET /", "Host: x")));
  const [first] = await once(socket, "data") as [Uint8Array];
  assert.match(new TextDecoder().decode(first), /^x-head: sent\r$/im);
  begun.resolve();
  await once(socket.resume(), "close");
  await server.close();
});

test("createNodeListener() cancels every body whose client leaves, even one that has nothing to send", async () => {
  const COUNT = 50;
  let cancelled = 0;
  const all = Promise.withResolvers<void>();
  const body = () =>
    new ReadableStream({
      cancel() {
        if (++cancelled === COUNT) all.resolve();
      },
    });
  const petstore = createPetstore({ keys: [KEY], handleStoreOrders: () => new Response(body()) });
  const server = await listen(createNodeListener(petstore));
  for (let i = 0; i < COUNT; i++) {
    const socket = connect(server.port, "127.0.0.1");
    socket.write(`GET /v1/store/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
    await once(socket, "data");
    socket.destroy();
  }
  await all.promise;
  await server.close();
});

test("createNodeListener() takes the authority of an absolute target for the host, as RFC 9112 §3.2.2 wants it", async () => {
  const absolute = await seen(head("GET http://pets.example/v1/../v1/pets?limit=1", "Host: evil.example"));
  assert.equal(absolute.url, "http://pets.example/v1/pets?limit=1");
});

test("createNodeListener() finds a petstore's routes by targets that a URL has in another form", async () => {
  const listener = createNodeListener(createPetstore({ keys: [KEY] }));
  const statusOf = async (target: string) => {
    const answer = await exchange(listener, head(`GET ${target}`, "Host: x", `Authorization: Bearer ${KEY}`));
    return Number(answer.split(" ")[1]);
  };
  for (const target of ["/v1/pets", "/v1/./pets", "/x/../v1/pets", "/v1/%2e/pets", "/v1/pets#x", "http://y/v1/pets"]) {
    assert.equal(await statusOf(target), 200, target);
  }
  for (const target of ["/v1/pets/", "//v1/pets", "*", "pets", "/v1\\.pets"]) {
    assert.ok([400, 404].includes(await statusOf(target)), target);
  }
});

/** A listener on a port of its own. */
async function listen(listener: Listener): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
