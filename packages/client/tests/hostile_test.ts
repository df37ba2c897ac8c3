/** createClient() and a server that sends the key back, or too much, on sockets; and calls that have the key in the wrong place. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import { inspect } from "node:util";
import { type ClientOptions, createClient } from "../mod.ts";
import { answeredBy, failed } from "./support.ts";
import { fieldOf, response, type Script, withScript } from "../../../tests/support/http/scripted_server.ts";

// As it is, in JSON and in an address, it differs.
// Without digits, which a port or a length could have.
const KEY = 'pk_"secret"/qzjxkvbwph';

function clientOf(origin: string, more: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl: `${origin}/v1`, key: KEY, maxRetries: 0, ...more }).pets;
}

/** The calls of a client whose `fetch` throws this. */
const throwing = (thrown: unknown) => answeredBy(() => Promise.reject(thrown), { key: KEY });

type Inspect = (value: unknown, options: Record<string, unknown>) => string;

/** Whatever a log can show of an error. Deno and Bun have an inspection of their own. */
function shown(error: unknown): string {
  const { Deno, Bun } = globalThis as { Deno?: { inspect: Inspect }; Bun?: { inspect: Inspect } };
  return [
    inspect(error, { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity }),
    Deno?.inspect(error, { depth: 99, showHidden: true, strAbbreviateSize: 1e6, iterableLimit: 1e6 }),
    Bun?.inspect(error, { depth: 99 }),
    JSON.stringify(error),
    String((error as Error).stack),
  ].join("\n");
}

/** Pieces of the key: as text, as Node, Deno and Bun show bytes, and in base64. */
const PIECES = ["secr", "cret", KEY.slice(-10, -6), KEY.slice(-4)].flatMap((piece) => {
  const bytes = Buffer.from(piece), hex = bytes.toString("hex");
  return [piece, hex, hex.replace(/..(?!$)/g, "$& "), bytes.join(), bytes.join(", ")];
}).concat(btoa(KEY).slice(0, -4));

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
const ECHOES: [where: string, script: Script][] = [
  ["a page", () => response(500, `Bad request. Authorization: Bearer ${KEY}`)],
  ["a page in which a shortened message ends", () => response(500, `${"x".repeat(50)}${KEY}`)],
  ["a page that is cut", () => cut("text/html", `Your key is ${KEY.slice(0, -4)}`)],
  ["an Error", () => response(400, JSON.stringify({ code: KEY, message: `No: ${KEY}`, status: 400 }))],
  ["X-Request-Id", () => response(400, "{}", { "x-request-id": KEY })],
  ["Location", () => response(302, "", { location: `https://other.example${address}` })],
  ["Link", () => response(200, "[]", { link: `<${address}>; rel="next"` })],
  ["incomplete JSON", () => cut("application/json", `["Bearer ${KEY}`)],
  ["incomplete JSON that is cut within it", () => cut("application/json", JSON.stringify([KEY]).slice(0, -7))],
  ["what is no JSON", () => response(200, KEY)],
  ["the head", (request) => request],
  ["a length", (request) => `HTTP/1.1 200 OK\r\ncontent-length: ${fieldOf(request, "authorization")}\r\n\r\n`],
  ["a body that is not compressed", (request) => response(200, request, { "content-encoding": "gzip" })],
];

for (const [where, script] of ECHOES) {
  test(`no error has the key, or a piece of it, that a server sends back in ${where}`, () =>
    withScript(script, async ({ origin }) => {
      // After a retry, the error has that of the first attempt as its cause.
      for (const maxRetries of [0, 1]) assertHidden(await failed(clientOf(origin, { maxRetries }).list().toArray()));
    }));
}

/** A key in the form that `petstore keys add` makes. */
const SECRET = "7Qm2xKc9VbN4tRf8LzW1sHd6GjY3pA0aB1cD";
const MADE = `petstore_${SECRET}`;

/** Texts of a server, each with a part of the key, and where eight characters in a row begin that show it. */
const PARTS: [where: string, text: string, at: number][] = [
  ["its middle", `Seen ${SECRET.slice(3, 20)} there`, 6],
  ["two lines", `${MADE.slice(0, 20)}\n${MADE.slice(20)}`, 30],
  ["capitals", MADE.toUpperCase(), 9],
  ["base64, behind Bearer", btoa(`Bearer ${MADE}`), 30],
  ["base64, behind a user", btoa(`user:${MADE}`), 30],
  ["base64, behind x", btoa(`x:${MADE}`), 30],
];

for (const [where, text, at] of PARTS) {
  test(`no error and no deprecation has eight characters of a key that a server sends back in part: ${where}`, async () => {
    const link = `</?${encodeURIComponent(text)}>; rel="successor-version"`;
    const headers = { deprecation: "@1", link, "x-request-id": encodeURI(text) };
    const told: unknown[] = [];
    const answer = () => Response.json({ code: "x", message: text }, { status: 400, headers });
    const pets = answeredBy(answer, { key: MADE, onDeprecation: (deprecation) => told.push(deprecation) });
    const error = await failed(pets.get(1n));
    assert.equal(told.length, 1);
    assert.match(error.message, /…/);
    assert.ok(!shown([error, told]).includes(text.slice(at, at + 8)), shown([error, told]));
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
    const answer = () => Response.json({ code: key, message }, { status: 400 });
    const error = await failed(answeredBy(answer, { key }).get(1n));
    assert.deepEqual([error.message, error.code.includes("…")], [kept, true]);
  }
});

test("of an error of fetch, only texts without the key are kept, of its causes too", async () => {
  const attached = { request: { authorization: `Bearer ${KEY}` }, body: Buffer.from(KEY), [Symbol(KEY)]: KEY };
  const refused = Object.assign(new Error("connect ::1"), { code: "ECONNREFUSED", ...attached });
  const inner = Object.assign(new AggregateError([refused], `To ${KEY}`), attached);
  const thrown = Object.assign(new TypeError(`Failed: ${KEY}`, { cause: inner }), { code: "E_FETCH", ...attached });
  Object.assign(inner, { cause: thrown });
  const error = await failed(throwing(thrown).get(1n));
  assertHidden(error);
  const { name, message, code, stack, cause } = error.cause as TypeError & { code: string };
  assert.deepEqual([name, message, code], ["TypeError", "Failed: …", "E_FETCH"]);
  assert.match(stack!, /hostile_test/);
  const { message: innerMessage, errors: [first] } = cause as AggregateError;
  assert.deepEqual([innerMessage, first.message, first.code], ["To …", "connect ::1", "ECONNREFUSED"]);
});

/** What fetch may throw, and the message of the cause then. */
const THROWN: [thrown: unknown, message: string | undefined][] = [
  [`At ${KEY}`, "At …"],
  [7, ""],
  [null, undefined],
  [undefined, undefined],
  [Object.create(null), ""],
  [{ message: 7, code: {} }, ""],
];

test("whatever fetch throws is a connection_failed, and a text is kept without the key", async () => {
  for (const [thrown, message] of THROWN) {
    const { code, cause } = await failed(throwing(thrown).get(1n));
    assert.deepEqual([code, (cause as Error | undefined)?.message], ["connection_failed", message]);
  }
});

test("no TypeError quotes what may be the key, or a password", async () => {
  const wrong = KEY as unknown as bigint, pets = throwing("unused");
  const calls: (() => unknown)[] = [
    () => clientOf(KEY, { key: "http://localhost/v1" }),
    () => clientOf(`https://user:${encodeURIComponent(KEY)}@pets.example`),
    () => pets.get(wrong),
    () => pets.create({ name: "Rex", categoryId: wrong }),
  ];
  for (const call of calls) {
    await assert.rejects(
      async () => await call(),
      (error) => error instanceof TypeError && (assertHidden(error), true),
    );
  }
  // As Deno names its permissions, which are thrown as they are but for the key.
  const forged = Object.assign(new Error(`No ${KEY}`), { name: "NotCapable", request: { authorization: KEY } });
  const refused = throwing(forged).get(1n);
  await assert.rejects(refused, (error: Error) => error.name === "NotCapable" && (assertHidden(error), true));
});

const LIMIT = 16 * 2 ** 20;

test("a response that does not end is cancelled at 16 MiB, though its signal is ignored, and not asked for again", async () => {
  for (const status of [200, 503]) {
    const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>();
    let sent = 0, requests = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      sent += 2 ** 20;
      controller.enqueue(new Uint8Array(2 ** 20));
    };
    const endless = () => new Response(new ReadableStream({ pull, cancel }), { status: ++requests && status });
    const error = await failed(answeredBy(endless, { maxRetries: 1 }).get(1n));
    assert.match(error.message, /got more than 16777216 bytes$/);
    await cancelled;
    assert.ok(sent <= LIMIT + 3 * 2 ** 20);
    // The next one would be as long.
    assert.equal(requests, 1);
  }
});

test("a response of 16 MiB is read", async () => {
  const whole = () => new Response(`[]${" ".repeat(LIMIT - 2)}`);
  assert.deepEqual(await answeredBy(whole).list().toArray(), []);
});
