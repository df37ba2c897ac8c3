/** What createClient() makes of a response, whose head or body a runtime may show in its own way. */

import assert from "node:assert/strict";
import test from "node:test";
import { PetstoreError } from "../mod.ts";
import { answeredBy } from "./support.ts";

const ASKED = "GET http://localhost/v1/pets/1";

/** What the only try of a request ends with: the name of the pet, or the error. */
async function get(respond: () => Response): Promise<unknown> {
  const [end] = await Promise.allSettled([answeredBy(respond).get(1n)]);
  return end?.status === "fulfilled" ? end.value.name : end?.reason;
}

/** A redirect, as a browser shows it. */
function hiddenRedirect(): Response {
  const type = { value: "opaqueredirect" }, status = { value: 0 }, ok = { value: false };
  return Object.defineProperties(new Response(), { type, status, ok });
}

const REDIRECTED = `${ASKED} is redirected to another address; baseUrl must be the address that answers`;
const FOREIGN = `${ASKED} got no answer of a petstore, but `;
const PAGE = `<!doctype html><title>Sign in</title>${"<p>Welcome".repeat(50)}`;
const PAGE_QUOTED = JSON.stringify(`${PAGE.slice(0, 64)}…`);
const PET = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}';

const json = (body: string, status = 200) => () =>
  new Response(body, { status, headers: { "content-type": "application/json" } });

/** Responses, and the name of the pet in them, or the message of the error. */
const ENDS: [name: string, respond: () => Response, end: string | RegExp][] = [
  ["a category with a point", json(PET.replace("5807", "5807.0")), "Rex"],
  ["a redirect that a browser hides", hiddenRedirect, REDIRECTED],
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
