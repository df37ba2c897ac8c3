/** createClient() and a server that sends the key back, on sockets, and errors of `fetch` that have it. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import { inspect } from "node:util";
import { createClient } from "../mod.ts";
import { answeredBy, failed } from "./support.ts";
import { response, type Script, withScript } from "../../../tests/support/http/scripted_server.ts";

// As it is, in JSON and in an address, it differs. Without digits, which a port or a length could have.
const KEY = 'pk_"secret"/qzjxkvbwph';

/** Pieces of the key: as text, and as the runtimes show bytes. */
const PIECES = ["secr", "cret", KEY.slice(-10, -6), KEY.slice(-4)].flatMap((piece) => {
  const bytes = Buffer.from(piece);
  return [piece, bytes.toString("hex").replace(/..(?!$)/g, "$& "), bytes.join(), bytes.join(", ")];
});

/** Looks into all that a log can show of an error. */
function assertHidden(error: unknown): void {
  const most = { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity };
  const text = inspect(error, { showHidden: true, ...most }) + JSON.stringify(error);
  for (const piece of PIECES) assert.ok(!text.includes(piece), `${piece} is in ${text.slice(0, 2000)}`);
}

const address = `/login?token=${encodeURIComponent(KEY)}`;

/** As a proxy that shows what it got, or with a broken head. */
const ECHOES: [where: string, script: Script][] = [
  ["a page in which a shortened message ends", () => response(500, `${"x".repeat(50)}${KEY}`)],
  ["JSON that is no Error", () => response(500, JSON.stringify([KEY]))],
  ["an Error", () => response(400, JSON.stringify({ code: KEY, message: `No: ${KEY}`, status: 400 }))],
  ["X-Request-Id", () => response(400, "{}", { "x-request-id": KEY })],
  ["Location", () => response(302, "", { location: `https://other.example${address}` })],
  ["Link", () => response(200, "[]", { link: `<${address}>; rel="next"` })],
  ["Link, to a page that fails", (request) => {
    const link = `</v1/pets?cursor=${encodeURIComponent(KEY)}>; rel="next"`;
    return request.includes("?cursor=") ? response(500, "") : response(200, "[]", { link });
  }],
  ["the head", (request) => request],
];

for (const [where, script] of ECHOES) {
  test(`no error has the key that a server sends back in ${where}`, () =>
    withScript(script, async ({ origin }) => {
      // After a retry, the error has that of the first attempt as its cause.
      for (const maxRetries of [0, 1]) {
        const { pets } = createClient({ baseUrl: `${origin}/v1`, key: KEY, maxRetries });
        assertHidden(await failed(pets.list().toArray()));
      }
    }));
}

test("of a message and of a deprecation, the key alone is hidden", async () => {
  const key = "petstore_7Qm2xKc9VbN4tRf8LzW1", message = `Seen ${key} and ${key.replace("_", "%5f")}`;
  const told: (string | undefined)[] = [];
  const headers = { deprecation: "@1", link: `<${message}>; rel="successor-version"` };
  const answer = () => Response.json({ code: "no", message }, { status: 400, headers });
  const onDeprecation = ({ successor }: { successor: string | undefined }) => void told.push(successor);
  const error = await failed(answeredBy(answer, { key, onDeprecation }).get(1n));
  assert.deepEqual([error.message, ...told], ["Seen … and …", "Seen … and …"]);
});

test("of an error of fetch, or of a body, only the system's message and code and the stack are kept, without the key", async () => {
  const attached = { request: { authorization: `Bearer ${KEY}` }, body: Buffer.from(KEY) };
  const inner = Object.assign(new Error(`To ${KEY}`), { code: "ECONNREFUSED", ...attached });
  const thrown = Object.assign(new TypeError(`Failed: ${KEY}`, { cause: inner }), { code: "E_FETCH", ...attached });
  // A chain may have no end.
  inner.cause = thrown;
  const broken = () => new Response(new ReadableStream({ pull: (controller) => controller.error(thrown) }));
  for (const answer of [() => Promise.reject(thrown), broken]) {
    const error = await failed(answeredBy(answer, { key: KEY }).get(1n));
    assertHidden(error);
    const { name, message, code, stack } = error.cause as TypeError & { code: string };
    assert.deepEqual([name, message, code], ["TypeError", "To …", "ECONNREFUSED"]);
    assert.match(stack!, /^TypeError: Failed: …\n[^]*hostile_test/);
  }
});
