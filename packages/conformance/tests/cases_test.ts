/** The cases for a server that is known by its address, and what they make of right, wrong and strange servers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { conformanceCases, type ConformanceTarget, type Handle, type Level } from "../mod.ts";
import { createPetstore } from "../../../mod.ts";
import { KEY } from "../../../tests/support/api.ts";
import { changed, newPetstore, runCases } from "../../../tests/support/conformance.ts";

test("conformanceCases() take a base address at the root, and refuse what is no base address, and a key that cannot be sent", async () => {
  const { handle } = createPetstore({ keys: [KEY], basePath: "" });
  const fetch: Handle = async (request) => await handle(request);
  const baseUrl = "https://petstore.example";
  assert.deepEqual((await runCases({ fetch, baseUrl })).failed, []);
  for (const wrong of [{ baseUrl: "petstore.example/v1" }, { baseUrl: `${baseUrl}/?a=1` }, { key: "a b" }]) {
    assert.throws(() => conformanceCases({ baseUrl, key: KEY, ...wrong }), TypeError);
  }
});

test("a petstore that shows no status, has members, errors, orders and types of its own, and no links, passes the specification's cases", async () => {
  const fetch = changed((response) => {
    const { status, headers, text } = response;
    headers.delete("link");
    if (headers.has("content-type")) headers.set("content-type", "Application/JSON; charset=utf-8");
    if (status >= 400) {
      response.text = JSON.stringify({ code: `E${status}`, message: "", status, details: [] }, null, 2);
    } else if (text !== "") {
      const pets = text.replaceAll(/,"status":"\w+"}/g, ',"owner":null,"tags":[]}').match(/{[^}]+}/g) ?? [];
      response.text = text.startsWith("[") ? `[${pets.reverse().join(", ")}]` : pets[0]!;
    }
  });
  for (const round of [1, 2]) {
    const { failed, errors } = await runCases({ fetch }, "specification");
    assert.deepEqual(failed, [], `round ${round}: ${errors[0]?.message}`);
  }
});

/** Lets some requests in. */
function letsIn(isLetIn: (request: Request) => boolean): Handle {
  return changed(() => {}, (request) => {
    const headers = new Headers(request.headers);
    if (isLetIn(request)) headers.set("authorization", `Bearer ${KEY}`);
    return new Request(request, { headers });
  });
}

/** Mistakes that occur in real petstores, and the cases that find them. */
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

/** The message of the first case of the specification that fails, or empty if none does. */
async function firstFailure(target: Partial<ConformanceTarget>): Promise<string> {
  const { errors } = await runCases(target, "specification", true);
  return errors[0]?.message ?? "";
}

test("no request follows a redirection, or a link to another server, so that no other server gets the key", async () => {
  const petstore = changed(({ headers }) => {
    const link = headers.get("link");
    if (link) headers.set("link", link.replaceAll("</v1", "<https://other.example/v1"));
  });
  const sent = new Set<string>();
  const fetch: Handle = (request) => {
    sent.add(`${request.redirect} ${new URL(request.url).origin}`);
    return petstore(request);
  };
  await runCases({ fetch });
  assert.deepEqual([...sent], ["manual https://petstore.example"]);
});

test("a case ends at the time limit, also if the request ignores its signal, or the response has begun", async () => {
  const silent: Handle = () => new Promise(() => {});
  const begun: Handle = () => Promise.resolve(new Response(new ReadableStream()));
  for (const answer of [silent, begun]) {
    const signals: AbortSignal[] = [];
    const fetch: Handle = (request) => {
      signals.push(request.signal);
      return answer(request);
    };
    const message = await firstFailure({ fetch, timeoutMs: 50 });
    assert.match(
      message,
      answer === begun ? /< 200\n[^]*< \(no whole response: none within 50 ms/ : /none within 50 ms/,
    );
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true]);
  }
});

test("a case is repeated once if the connection is lost before the response begins, and fails the second time", async () => {
  const petstore = newPetstore();
  for (const losses of [1, 2]) {
    let left = losses;
    const fetch: Handle = (request) => {
      if (left-- > 0) throw new TypeError("Connection reset by peer");
      return petstore(request);
    };
    const failure = losses === 1 ? /^$/ : /no whole response: Connection reset by peer/;
    assert.match(await firstFailure({ fetch }), failure);
  }
});

test("a failure shows neither the key nor credentials made of it, nor a character that controls a terminal or is invisible", async () => {
  const key = 'pk_"Secret"+/Z', made = btoa(`user:${key}`);
  const { handle } = createPetstore({ keys: [key] });
  const echo = `\x1b[2J\u009b\u200f\ufeff ${key} ${JSON.stringify(key)} ${encodeURIComponent(key)} ${made}`;
  const fetch: Handle = async (request) => {
    const isBasic = request.headers.get("authorization") === `Basic ${made}`;
    return isBasic ? new Response(echo, { headers: { "x-echo": `Bearer ${key}` } }) : await handle(request);
  };
  const shown = await firstFailure({ fetch, key });
  assert.match(shown, /^> authorization: Basic <key>$/m);
  assert.match(shown, /^< x-echo: Bearer <key>$/m);
  assert.match(shown, /^< \\u\{1b\}\[2J\\u\{9b\}\\u\{200f\}\\u\{feff\} <key> "<key>" <key> <key>$/m);
});
