/** What createClient() makes of a response, whose head or body a runtime may show in its own way. */

import assert from "node:assert/strict";
import process from "node:process";
import test from "node:test";
import { createClient, PetstoreError } from "../mod.ts";
import { whileReplaced } from "../../../tests/support/while_replaced.ts";

const REX = '{"id":1,"name":"Réx","categoryId":7,"status":"sold"}';
const ASKED = "GET http://localhost/v1/pets/1";

/** What the only try of a request ends with. */
async function get(respond: () => Response): Promise<unknown> {
  const fetch = () => Promise.resolve().then(respond);
  const { pets } = createClient({ baseUrl: "http://localhost/v1", key: "pk_test", maxRetries: 0, fetch });
  const [end] = await Promise.allSettled([pets.get(1n)]);
  return end?.status === "fulfilled" ? end.value.name : end?.reason;
}

/** A response of another runtime. */
function like(facts: Record<string, unknown>, body: string | null = null): Response {
  const properties = Object.entries(facts).map(([name, value]) => [name, { value }]);
  return Object.defineProperties(new Response(body), Object.fromEntries(properties));
}

/** The bytes of a text one by one, which cuts a character. */
function inPieces(text: string): ReadableStream {
  const start = (controller: ReadableStreamDefaultController) => {
    for (const byte of new TextEncoder().encode(text)) controller.enqueue(Uint8Array.of(byte));
    controller.close();
  };
  return new ReadableStream({ start });
}

const ENDS: [name: string, respond: () => Response, end: string][] = [
  ["a body in pieces", () => new Response(inPieces(REX)), "Réx"],
  ["a body without a stream, as in React Native", () => like({ body: undefined }, REX), "Réx"],
];

const REDIRECTED = `${ASKED} is redirected to another address; baseUrl must be the address that answers`;
for (const status of [300, 302, 399]) {
  ENDS.push([`a redirect with ${status} and no address`, () => new Response(null, { status }), REDIRECTED]);
}
const hidden = { type: "opaqueredirect", status: 0, ok: false };
ENDS.push(["a redirect that a browser hides", () => like(hidden), REDIRECTED]);

/** Bodies that are cut, without a type, and whether they look like JSON. */
const CUT: [text: string, isJson: boolean][] = [['{"id', true], [" \n[{", true], ["<p>{", false], ["x[", false]];
for (const [text, isJson] of CUT) {
  const respond = () => new Response(inPieces(text));
  const is = isJson ? "incomplete JSON:" : "no answer of a petstore, but 200";
  ENDS.push([`the text ${text.trim()}`, respond, `${ASKED} got ${is} ${JSON.stringify(text)}`]);
}

const FOREIGN = `${ASKED} got no answer of a petstore, but `;
const PAGE = `<!doctype html><title>Sign in</title>${"<p>Welcome".repeat(50)}`;
const PET = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}';

/** What is no answer of a petstore: a status, a body, and how the message quotes it. */
const OTHERS: [name: string, status: number, body: string | null, quoted?: string][] = [
  ["a page with 200", 200, PAGE, `${PAGE.slice(0, 64)}…`],
  ["a page with 404", 404, PAGE, `${PAGE.slice(0, 64)}…`],
  ["no body", 204, null, ""],
  ["another shape", 400, '{"error":"no"}'],
  ["an Error without a message", 400, '{"code":"no"}'],
  ["an Error whose code is no text", 400, '{"code":7,"message":"No"}'],
  ["null", 200, "null"],
  ["a pet in a text", 200, '"{}"'],
  ["arrays a million deep", 200, "[".repeat(1e6) + "]".repeat(1e6), `${"[".repeat(64)}…`],
  ...[
    ["with a fraction", "5807", "5807.5"],
    ["with a fraction that rounds", "9223372036854775807", "900719925474099.99999999999999"],
    ["beyond int64", "5807", "5808"],
    ["without an id", "id", "ID"],
    ["without a name", "name", "named"],
    ["of another status", "available", "lost"],
    ["whose status is null", '"available"', "null"],
  ].map(([what, from, to]): typeof OTHERS[number] => {
    const body = PET.replace(from!, to!);
    return [`a pet ${what}`, 200, body, body.length > 64 ? `${body.slice(0, 64)}…` : body];
  }),
];
for (const [name, status, body, quoted = body] of OTHERS) {
  const headers = { "content-type": body && body !== PAGE ? "application/json" : "text/html" };
  ENDS.push([name, () => new Response(body, { status, headers }), `${FOREIGN}${status} ${JSON.stringify(quoted)}`]);
}

for (const [name, respond, end] of ENDS) {
  test(`createClient() gets ${name}`, async () => {
    const got = await get(respond);
    assert.equal(got instanceof PetstoreError ? got.message : got, end);
  });
}

test("a Retry-After without a zone is GMT, wherever the client is", async () => {
  const { TZ } = process.env;
  process.env["TZ"] = "Asia/Tokyo";
  try {
    const headers = { date: "Sat, 21 Nov 2026 00:00:00 GMT", "retry-after": "Sat Nov 21 00:02:00 2026" };
    const error = await get(() => new Response("", { status: 503, headers }));
    assert.equal((error as PetstoreError).retryAfterMs, 120_000);
  } finally {
    if (TZ === undefined) delete process.env["TZ"];
    else process.env["TZ"] = TZ;
  }
});

test("a code that this package does not know is kept, with the facts of the head", async () => {
  const headers = { "retry-after": "7", "x-request-id": "r-1" };
  const body = { code: "on_holiday", message: "Back soon", status: 409 };
  const { code, message, status, requestId, retryAfterMs } = await get(() =>
    Response.json(body, { status: 409, headers })
  ) as PetstoreError;
  assert.deepEqual({ code, message, status, requestId, retryAfterMs }, {
    ...body,
    requestId: "r-1",
    retryAfterMs: 7000,
  });
});

test("in a browser, a failure without a response says that pages of its origin may not be permitted", async () => {
  const messageAt = (origin: string | undefined) =>
    whileReplaced(
      globalThis as { location?: unknown },
      { location: origin && { origin } },
      async () =>
        (await get(() => {
          throw new TypeError("Failed to fetch");
        }) as Error).message,
    );
  const plain = `${ASKED} got no whole response: Failed to fetch`;
  assert.equal(
    await messageAt("http://localhost:5173"),
    `${plain}; if the server runs, it may not permit pages of http://localhost:5173 (CORS)`,
  );
  // Outside of a browser, and at the server's own origin, no permission is needed.
  for (const origin of [undefined, "http://localhost"]) assert.equal(await messageAt(origin), plain);
});
