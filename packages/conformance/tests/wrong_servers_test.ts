/** The cases find wrong servers. Each makes a mistake that occurs in real petstores. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KEY } from "../../../tests/support/api.ts";
import { changed, runCases } from "../../../tests/support/conformance.ts";
import type { Handle, Level } from "../mod.ts";

/** Lets some requests in. */
function letsIn(isLetIn: (request: Request) => boolean): Handle {
  return changed(() => {}, (request) => {
    const headers = new Headers(request.headers);
    if (isLetIn(request)) headers.set("authorization", `Bearer ${KEY}`);
    return new Request(request, { headers });
  });
}

/** The mistakes of servers, and the cases that find them. */
const WRONG: [level: Level, what: string, fetch: Handle, foundBy: string][] = [
  [
    "specification",
    "takes every key",
    letsIn(({ headers }) => headers.has("authorization")),
    "shows and stores nothing without the right key, in any form",
  ],
  [
    "specification",
    "rounds categories",
    changed((response) => {
      response.text = response.text.replaceAll(/(?<="categoryId":)-?\d+/g, (digits) => `${BigInt(+digits)}`);
    }),
    "creates pets, and lists, and returns by id, each once and as it was created",
  ],
  [
    "specification",
    "sends errors as HTML",
    changed(({ headers, status }) => void (status >= 400 && headers.set("content-type", "text/html"))),
    "describes every failure by a code, a message and its status",
  ],
  [
    "full",
    "forgets the status at the next page",
    changed(() => {}, (request) => {
      const url = new URL(request.url);
      if (url.searchParams.has("cursor")) url.searchParams.delete("status");
      return new Request(url, request);
    }),
    "leads through the list of each status in pages of any length",
  ],
  [
    "full",
    "answers 304 without a key",
    letsIn(({ headers }) => (headers.get("if-none-match") ?? "*") !== "*"),
    "answers HEAD and If-None-Match as GET, for pets and for lists of any kind",
  ],
];

for (const [level, what, fetch, foundBy] of WRONG) {
  test(`a petstore that ${what} fails the case that says so, which tells the promise, the fault and the exchange`, async () => {
    const { failed, errors } = await runCases({ fetch }, level);
    const { promise, reason, exchange, message } = errors[failed.indexOf(foundBy)] ?? assert.fail(`Only ${failed}`);
    assert.match(exchange, /^> (GET|HEAD|POST) \/v1\/pets[^]*^< \d{3}$/m);
    for (const part of [promise, reason, exchange]) assert.ok(message.includes(part));
    assert.ok(!message.includes(KEY));
  });
}
