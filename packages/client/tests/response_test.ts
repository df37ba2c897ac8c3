/** What createClient() makes of a response, whose head or body a runtime may show in its own way. */

import assert from "node:assert/strict";
import process from "node:process";
import test from "node:test";
import { createClient, PetstoreError } from "../mod.ts";

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
  ["no body", () => new Response(null, { status: 204 }), `${ASKED} got no answer of a petstore, but 204 ""`],
];

const REDIRECTED = `${ASKED} is redirected to another address; baseUrl must be the address that answers`;
for (const status of [300, 302, 399]) {
  ENDS.push([`a redirect with ${status} and no address`, () => new Response(null, { status }), REDIRECTED]);
}
const hidden = { type: "opaqueredirect", status: 0, ok: false };
ENDS.push(["a redirect that a browser hides", () => like(hidden), REDIRECTED]);

for (const thrown of [undefined, null, "Cut"]) {
  const respond = () => {
    throw thrown;
  };
  ENDS.push([
    `nothing, since fetch() throws ${thrown}`,
    respond,
    `${ASKED} got no whole response${thrown ? ": Cut" : ""}`,
  ]);
}

/** Bodies that are cut, without a type, and whether they look like JSON. */
const CUT: [text: string, isJson: boolean][] = [['{"id', true], [" \n[{", true], ["<p>{", false], ["x[", false]];
for (const [text, isJson] of CUT) {
  const respond = () => new Response(inPieces(text));
  const is = isJson ? "incomplete JSON:" : "no answer of a petstore, but 200";
  ENDS.push([`the text ${text.trim()}`, respond, `${ASKED} got ${is} ${JSON.stringify(text)}`]);
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
