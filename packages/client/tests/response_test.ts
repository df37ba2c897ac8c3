/** What createClient() makes of a response, whose head or body a runtime may show in its own way. */

import assert from "node:assert/strict";
import test from "node:test";
import { PetstoreError } from "../mod.ts";
import { answeredBy } from "./support.ts";
import { whileReplaced } from "../../../tests/support/while_replaced.ts";

const REX = '{"id":1,"name":"Réx","categoryId":7,"status":"sold"}';
const ASKED = "GET http://localhost/v1/pets/1";

/** What the only try of a request ends with: the name of the pet, or the error. */
async function get(respond: () => Response): Promise<unknown> {
  const [end] = await Promise.allSettled([answeredBy(respond).get(1n)]);
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

const REDIRECTED = `${ASKED} is redirected to another address; baseUrl must be the address that answers`;
const FOREIGN = `${ASKED} got no answer of a petstore, but `;
const PAGE = `<!doctype html><title>Sign in</title>${"<p>Welcome".repeat(50)}`;
const PAGE_QUOTED = JSON.stringify(`${PAGE.slice(0, 64)}…`);
const PET = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}';

const json = (body: string, status = 200) => () =>
  new Response(body, { status, headers: { "content-type": "application/json" } });
/** A body without a type, whose connection may have been cut. */
const untyped = (body: string) => () => new Response(inPieces(body));

/** Responses, and the name of the pet in them, or the message of the error. */
const ENDS: [name: string, respond: () => Response, end: string | RegExp][] = [
  ["a body in pieces", untyped(REX), "Réx"],
  ["a body without a stream, as in React Native", () => like({ body: undefined }, REX), "Réx"],
  ["a category with a point", json(PET.replace("5807", "5807.0")), "Rex"],
  ["a redirect that a browser hides", () => like({ type: "opaqueredirect", status: 0, ok: false }), REDIRECTED],
  ["a 304 that it has not asked for", () => new Response(null, { status: 304 }), `${FOREIGN}304 ""`],
  [
    "a page with 200",
    () => new Response(PAGE, { headers: { "content-type": "text/html" } }),
    `${FOREIGN}200 ${PAGE_QUOTED}`,
  ],
  ["another shape", json('{"error":"no"}', 400), `${FOREIGN}400 "{\\"error\\":\\"no\\"}"`],
  ["arrays a million deep", json("[".repeat(1e6) + "]".repeat(1e6)), `${FOREIGN}200 "${"[".repeat(64)}…"`],
  ["a pet beyond int64", json(PET.replace("5807", "5808")), /petstore, but 200 /],
];

for (const [name, respond, end] of ENDS) {
  test(`createClient() gets ${name}`, async () => {
    const got = await get(respond);
    const said = got instanceof PetstoreError ? got.message : String(got);
    if (typeof end === "string") assert.equal(said, end);
    else assert.match(said, end);
  });
}

test("a code that this package does not know is kept, with the facts of the head", async () => {
  const headers = { "retry-after": "7", "x-request-id": "r-1" };
  const body = { code: "on_holiday", message: "Back soon", status: 409 };
  const error = await get(() => Response.json(body, { status: 409, headers }));
  assert.equal(String(error), "PetstoreError: Back soon");
  const facts = { name: "PetstoreError", ...body, requestId: "r-1", retryAfterMs: 7000 };
  assert.deepEqual(error, Object.assign(new PetstoreError(body.code, body.message), facts));
});

test("in a browser, a failure without a response says that pages of its origin may not be permitted", async () => {
  const pets = answeredBy(() => Promise.reject(new TypeError("Failed to fetch")));
  const origin = "http://localhost:5173";
  await whileReplaced(globalThis as { location?: unknown }, { location: { origin } }, async () => {
    const hint = `if the server runs, it may not permit pages of ${origin} (CORS)`;
    await assert.rejects(pets.get(1n), { message: `${ASKED} got no whole response: Failed to fetch; ${hint}` });
    const cut = answeredBy(() => new Response(new ReadableStream({ start: (body) => body.error(new Error("Cut")) })));
    await assert.rejects(cut.get(1n), { message: `${ASKED} got no whole response: Cut` });
  });
});
