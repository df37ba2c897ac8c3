/** createClient() and a server that sends the key back, or too much, on sockets; and calls that have the key in the wrong place. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import { inspect } from "node:util";
import { type ClientOptions, createClient } from "../mod.ts";
import { failed } from "./support.ts";
import { fieldOf, flood, response, type Script, withScript } from "../../../tests/support/http/scripted_server.ts";

// As it is, in JSON and in an address, it differs.
// Without digits, which a port or a length could have.
const KEY = 'pk_"secret"/qzjxkvbwph';
const NEW_REX = { name: "Rex", categoryId: 7n };

function clientOf(origin: string, more: Partial<ClientOptions> = {}): ReturnType<typeof createClient>["pets"] {
  return createClient({ baseUrl: `${origin}/v1`, key: KEY, maxRetries: 0, ...more }).pets;
}

type Inspect = (value: unknown, options: Record<string, unknown>) => string;

/** Whatever a log can show of an error. Deno and Bun have an inspection of their own. */
function shown(error: unknown): string {
  const { Deno, Bun } = globalThis as unknown as Record<
    string,
    { inspect: Inspect } | undefined
  >;
  return [
    inspect(error, { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity }),
    Deno?.inspect(error, { depth: 99, showHidden: true, strAbbreviateSize: 1e6, iterableLimit: 1e6 }),
    Bun?.inspect(error, { depth: 99 }),
    JSON.stringify(error),
    String((error as Error).stack),
  ].join("\n");
}

/** Each four characters of the key's secret part: as text, as bytes are shown, and the key in base64. */
const PIECES = [/secret/.exec(KEY)![0], KEY.slice(-10)].flatMap((secret) =>
  Array.from({ length: secret.length - 3 }, (_, at) => {
    const piece = Buffer.from(secret.slice(at, at + 4)), hex = piece.toString("hex");
    return [String(piece), hex, hex.replace(/..(?!$)/g, "$& "), piece.join(), piece.join(", ")];
  }).flat()
).concat(Buffer.from(KEY).toString("base64").slice(0, -4));

function assertHidden(error: unknown): void {
  const text = shown(error);
  for (const piece of PIECES) assert.ok(!text.includes(piece), `${piece} is in ${text.slice(0, 2000)}`);
}

const address = `/login?token=${encodeURIComponent(KEY)}`;

/** A body that ends with the connection. */
function cut(type: string, body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${body}`;
}

/** As a proxy that shows what it got, or with a broken head. */
const ECHOES: Record<string, Script> = {
  "a page": () => response(500, `Bad request. Authorization: Bearer ${KEY}`),
  "a page in which a shortened message ends": () => response(500, `${"x".repeat(50)}${KEY}`),
  "a page that is cut": () => cut("text/html", `Your key is ${KEY.slice(0, -4)}`),
  "an Error": () => response(400, JSON.stringify({ code: KEY, message: `No: ${KEY}`, status: 400 })),
  "X-Request-Id": () => response(400, "{}", { "x-request-id": KEY }),
  "Location": () => response(302, "", { location: `https://other.example${address}` }),
  "Link": () => response(200, "[]", { link: `<${address}>; rel="next"` }),
  "incomplete JSON": () => cut("application/json", `["Bearer ${KEY}`),
  "incomplete JSON that is cut within it": () => cut("application/json", JSON.stringify([KEY]).slice(0, -7)),
  "what is no JSON": () => response(200, KEY),
  "the head": (request) => request,
  "a length": (request) => `HTTP/1.1 200 OK\r\ncontent-length: ${fieldOf(request, "authorization")}\r\n\r\n`,
  "a body that is not compressed": (request) => response(200, request, { "content-encoding": "gzip" }),
};

for (const [where, script] of Object.entries(ECHOES)) {
  test(`no error has the key, or a piece of it, that a server sends back in ${where}`, () =>
    withScript(script, async ({ origin }) => {
      // After a retry, the error has that of the first attempt as its cause.
      for (const maxRetries of [0, 1]) assertHidden(await failed(clientOf(origin, { maxRetries }).list().toArray()));
    }));
}

/** A key in the form that `petstore keys add` makes. */
const SECRET = "7Qm2xKc9VbN4tRf8LzW1sHd6GjY3pA0aB1cD";
const MADE = `petstore_${SECRET}`;

/** Texts of a server, each with a part of the key, and with the eight characters in a row that show it. */
const PARTS: Record<string, [text: string, shows: string]> = {
  "its middle": [`Seen ${SECRET.slice(3, 20)} there`, SECRET.slice(4, 12)],
  "two lines": [`${MADE.slice(0, 20)}\n${MADE.slice(20)}`, SECRET.slice(20, 28)],
  "capitals": [MADE.toUpperCase(), SECRET.slice(0, 8).toUpperCase()],
  ...Object.fromEntries(["Bearer ", "user:", "x:"].map((before) => {
    const text = btoa(before + MADE);
    return [`base64, behind ${before}`, [text, text.slice(30, 38)]];
  })),
};

for (const [where, [text, shows]] of Object.entries(PARTS)) {
  test(`no error and no deprecation has eight characters of a key that a server sends back in part: ${where}`, () => {
    const link = `</?${encodeURIComponent(text)}>; rel="successor-version"`;
    const body = JSON.stringify({ code: "x", message: text });
    return withScript(() => response(400, body, { deprecation: "@1", link, "x-request-id": encodeURI(text) }), async (
      { origin },
    ) => {
      const told: unknown[] = [];
      const pets = clientOf(origin, { key: MADE, onDeprecation: (deprecation) => told.push(deprecation) });
      const error = await failed(pets.get(1n));
      assert.equal(told.length, 1);
      assert.match(error.message, /…/);
      assert.ok(!shown([error, told]).includes(shows), shown([error, told]));
    });
  });
}

/** A key, the message of a server, and what is kept of it. */
const MESSAGES: [key: string, message: string, kept: string][] = [
  // Words that also begin a key stay.
  [MADE, "Only these may have pets", "Only these may have pets"],
  [MADE, "getaddrinfo ENOTFOUND petstore", "getaddrinfo ENOTFOUND petstore"],
  [MADE, "x".repeat(10_004), "x".repeat(10_000)],
  // A key of a few characters is hidden as a whole, and not in other forms, whose parts stand in words: in base64, it begins with "az".
  ["k7", "k7 is no maze", "… is no maze"],
];

test("of a message, the key alone is hidden, and 10,000 characters are kept", async () => {
  for (const [key, message, kept] of MESSAGES) {
    const fetch = () => Promise.resolve(Response.json({ code: key, message }, { status: 400 }));
    const error = await failed(clientOf("http://localhost", { key, fetch }).get(1n));
    assert.deepEqual([error.message, error.code.includes("…")], [kept, true]);
  }
});

test("of an error of fetch, only texts without the key are kept, of its causes too", async () => {
  const request = { headers: { authorization: `Bearer ${KEY}` }, body: Buffer.from(KEY) };
  const errors = ["::1", "127.0.0.1"].map((at) =>
    Object.assign(new Error(`connect ${at}`), { code: "ECONNREFUSED", request })
  );
  const inner = Object.assign(new AggregateError(errors, `To ${KEY}`), { [Symbol(KEY)]: request, data: request.body });
  const thrown = Object.assign(new TypeError(`Failed: ${KEY}`, { cause: inner }), { code: "E_FETCH", config: request });
  Object.assign(inner, { cause: thrown });
  const error = await failed(clientOf("http://localhost", { fetch: () => Promise.reject(thrown) }).get(1n));
  assertHidden(error);
  const cause = error.cause as TypeError & { code: string };
  assert.deepEqual([cause.name, cause.message, cause.code], ["TypeError", "Failed: …", "E_FETCH"]);
  assert.match(cause.stack!, /hostile_test/);
  const { message, errors: kept } = cause.cause as AggregateError;
  assert.equal(message, "To …");
  assert.deepEqual(kept.map(({ message, code }) => [message, code]), [
    ["connect ::1", "ECONNREFUSED"],
    ["connect 127.0.0.1", "ECONNREFUSED"],
  ]);
});

test("whatever fetch throws is a connection_failed, and a text is kept without the key", async () => {
  const causes = [`At ${KEY}`, 7, null, undefined, {}, Object.create(null), { message: 7, code: {} }].map(
    async (thrown) => {
      const error = await failed(clientOf("http://localhost", { fetch: () => Promise.reject(thrown) }).get(1n));
      return [error.code, (error.cause as Error | undefined)?.message];
    },
  );
  assert.deepEqual(
    await Promise.all(causes),
    ["At …", "", undefined, undefined, "", "", ""].map((message) => ["connection_failed", message]),
  );
});

test("no TypeError quotes what may be the key, or a password", async () => {
  const thrown: unknown[] = [];
  for (const baseUrl of [KEY, `https://user:${encodeURIComponent(KEY)}@pets.example/v1`]) {
    assert.throws(() => createClient({ baseUrl, key: "http://localhost/v1" }), (error) => thrown.push(error) > 0);
  }
  const pets = clientOf("http://localhost");
  const wrong = KEY as unknown as bigint;
  for (const call of [pets.get(wrong), pets.create({ name: "Rex", categoryId: wrong })]) {
    await assert.rejects(call, (error) => thrown.push(error) > 0);
  }
  // As Deno names its permissions, which are thrown as they are but for the key.
  const forged = Object.assign(new Error(`No ${KEY}`), { name: "NotCapable", request: { authorization: KEY } });
  const refused = clientOf("http://localhost", { fetch: () => Promise.reject(forged) }).get(1n);
  await assert.rejects(refused, (error: Error) => error.name === "NotCapable" && (assertHidden(error), true));
  assert.equal(thrown.length, 4);
  for (const error of thrown) {
    assert.ok(error instanceof TypeError);
    assertHidden(error);
  }
});

const LIMIT = 16 * 2 ** 20;

/** What the system, and a runtime that reads ahead, take beyond it. */
const AHEAD = 48 * 2 ** 20;

test("the connection of a response that does not end is closed at 16 MiB, and it is not asked for again", async () => {
  for (const status of ["200 OK", "503 Busy"]) {
    const flooding = flood(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n`);
    await withScript(() => flooding.answer, async ({ origin, requests, idle }) => {
      const pets = clientOf(origin, { maxRetries: 1, timeoutMs: 600_000 });
      for (const call of [() => pets.create(NEW_REX), () => pets.list().toArray()]) {
        assert.match((await failed(call())).message, /got more than 16777216 bytes$/);
      }
      // The next one would be as long.
      assert.equal(requests.length, 2);
      await idle();
      assert.ok(flooding.sent <= LIMIT + AHEAD, `${flooding.sent} bytes were sent`);
    });
  }
});

test("a response of another fetch that does not end is cancelled at 16 MiB, though its signal is ignored", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    sent += 2 ** 20;
    controller.enqueue(new Uint8Array(2 ** 20));
  };
  const response = new Response(new ReadableStream({ pull, cancel: () => resolve() }));
  await failed(clientOf("http://localhost", { fetch: () => Promise.resolve(response) }).get(1n));
  await promise;
  assert.ok(sent <= LIMIT + 3 * 2 ** 20);
});

test("a response of 16 MiB is read", async () => {
  await withScript(() => response(200, `[]${" ".repeat(LIMIT - 2)}`), async ({ origin }) => {
    assert.deepEqual(await clientOf(origin).list().toArray(), []);
  });
});
