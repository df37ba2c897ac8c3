/** The cases find wrong servers. Each makes a mistake that occurs in real petstores. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KEY } from "../../../tests/support/api.ts";
import { changed, runCases } from "../../../tests/support/conformance.ts";
import type { Handle } from "../mod.ts";

/** Lets some requests in. */
function letsIn(isLetIn: (request: Request) => boolean): Handle {
  return changed(() => {}, (request) => {
    const headers = new Headers(request.headers);
    if (isLetIn(request)) headers.set("authorization", `Bearer ${KEY}`);
    return new Request(request, { headers });
  });
}

/** Changes the query of each list. */
function queries(change: (query: URLSearchParams) => unknown): Handle {
  return changed(() => {}, (request) => {
    const url = new URL(request.url);
    if (request.method === "GET" && url.pathname.endsWith("/pets")) change(url.searchParams);
    return new Request(url, request);
  });
}

/** The mistakes of servers, by the cases that find them. Those about pages and conditions are of the level full. */
const WRONG: Record<string, Record<string, Handle>> = {
  "shows and stores nothing without the right key, in any form": {
    "takes every key": letsIn(({ headers }) => headers.has("authorization")),
  },
  "creates pets, and lists, and returns by id, each once and as it was created": {
    "rounds categories": changed((response) => {
      response.text = response.text.replaceAll(/(?<="categoryId":)-?\d+/g, (digits) => `${BigInt(+digits)}`);
    }),
  },
  "describes every failure by a code, a message and its status": {
    "sends errors as HTML": changed(({ headers, status }) =>
      void (status >= 400 && headers.set("content-type", "text/html"))
    ),
  },
  "leads through the list of each status in pages of any length": {
    "forgets the status at the next page": queries((query) => query.has("cursor") && query.delete("status")),
  },
  "answers HEAD and If-None-Match as GET, for pets and for lists of any kind": {
    "answers 304 without a key": letsIn(({ headers }) => (headers.get("if-none-match") ?? "*") !== "*"),
  },
};

for (const [name, mistakes] of Object.entries(WRONG)) {
  for (const [what, fetch] of Object.entries(mistakes)) {
    test(`a petstore that ${what} fails the case that says so, which tells the promise, the fault and the exchange`, async () => {
      const level = /pages|If-None-Match/.test(name) ? "full" : "specification";
      const { failed, errors } = await runCases({ fetch }, level);
      const { promise, reason, exchange, message } = errors[failed.indexOf(name)] ??
        assert.fail(`passed, but not ${failed}`);
      assert.match(promise, level === "full" ? /^[A-Z]/ : /^\d(\.\d)?( and \d\.\d)?: /);
      assert.match(exchange, /^> (GET|HEAD|POST) \/v1\/pets[^]*^< \d{3}$/m);
      assert.ok(message.includes(promise) && message.includes(reason) && message.includes(exchange));
      assert.ok(!message.includes(KEY));
    });
  }
}
