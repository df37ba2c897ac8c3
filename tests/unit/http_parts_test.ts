/** The small parts of HTTP by themselves: cursors, entity tags, cross-origin requests. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionalAnswer, noneMatchFails, representation } from "../../lib/http/conditional.ts";
import { createCors } from "../../lib/http/cors.ts";
import { formatCursor, parseCursor } from "../../lib/service/cursor.ts";
import type { Answer } from "../../lib/http/answer.ts";
import { strongETag } from "../../lib/http/entity_tag.ts";
import type { Exchange } from "../../lib/http/exchange.ts";
import { createExchange } from "../support/exchange.ts";

test("a cursor is URL-safe and comes back as the id it was made of", () => {
  for (const id of [1n, 20n, 123n, 2n ** 53n - 1n, 2n ** 53n, 10n ** 18n, 2n ** 63n - 1n]) {
    const cursor = formatCursor(id);
    assert.match(cursor, /^[A-Za-z0-9_-]+$/);
    assert.equal(parseCursor(cursor), id);
  }
});

test("a cursor carries an id that there can be, and no other number", () => {
  for (const id of [0n, -1n, 2n ** 63n, 9999999999999999999n, -(2n ** 63n) - 1n, 10n ** 30n]) {
    assert.equal(parseCursor(formatCursor(id)), undefined, String(id));
  }
});

test("a cursor with any character changed is refused or means another id", () => {
  for (const id of [1n, 12n, 123n, 2n ** 53n - 1n]) {
    const cursor = formatCursor(id);
    for (let i = 0; i < cursor.length; i++) {
      for (const character of "Az09_-+/=%. é\n") {
        if (cursor[i] === character) continue;
        const changed = parseCursor(cursor.slice(0, i) + character + cursor.slice(i + 1));
        assert(
          changed === undefined || (changed !== id && changed >= 0n),
          `${cursor}: ${character} at ${i}: ${changed}`,
        );
      }
      assert.notEqual(parseCursor(cursor.slice(0, i)), id);
    }
  }
});

test("what no page has given is no cursor", () => {
  const inside = ["after:", "after:abc", "after:0x10", "after: 1", "after:1 ", "after:01", "after:+1", "after:1.0"];
  inside.push("after:1n", "after:-0", "after:1e3", "after:1\0", "before:1", "1", "");
  for (const text of inside) assert.equal(parseCursor(btoa(text).replaceAll("=", "")), undefined, text);
  const padded = btoa("after:1");
  for (const cursor of [padded, "null", "after:1", ` ${formatCursor(1n)}`, `${formatCursor(1n)}\n`, "é"]) {
    assert.equal(parseCursor(cursor), undefined, cursor);
  }
  assert.equal(parseCursor("YWZ0ZXI6".repeat(2 ** 17)), undefined);
});

const TAG = '"a-b"';
const NONE_MATCH: [header: string | null, fails: boolean][] = [
  [null, false],
  ["", false],
  [TAG, true],
  [`W/${TAG}`, true],
  ["*", true],
  [" * ", true],
  [`"x", ${TAG}`, true],
  [`"x",${TAG},"y"`, true],
  [`"x" ,\t${TAG}`, true],
  [`W/"x", W/${TAG} , "y"`, true],
  [`"x,", ${TAG}`, true],
  [`"*", ${TAG}`, true],
  ['"*"', false],
  ['"a-bc"', false],
  ['"xa-b"', false],
  ['"a"', false],
  ['"A-B"', false],
  ["a-b", false],
  ["W/a-b", false],
  ['""', false],
  ['"x", "y"', false],
  [`x${TAG}`, false],
];

for (const [header, fails] of NONE_MATCH) {
  test(`If-None-Match: ${header ?? "(none)"} ${fails ? "names" : "does not name"} the tag ${TAG}`, () => {
    assert.equal(noneMatchFails(header, TAG), fails);
  });
}

test("strongETag() gives a strong tag that differs where text or variant differ", () => {
  const texts = ["", "a", "b", "ab", "ba", "[]", "é", "\0", "\0\0", "x".repeat(10_000), "x".repeat(10_001)];
  for (let i = 0; i < 10_000; i++) texts.push(`[{"id":${i}}]`);
  const tags = new Set(texts.flatMap((text) => [strongETag(text), strongETag(text, 1)]));
  assert.equal(tags.size, 2 * texts.length);
  for (const tag of tags) assert.match(tag, /^"\d+-[01]-[a-z0-9]+-[a-z0-9]+"$/);
  assert.equal(strongETag("[]"), strongETag("[]", 0));
});

test("strongETag() tells texts of other lengths and other variants apart, whatever their hash is", () => {
  // Every part but the hash is enough to tell them, so a forged hash gains nothing.
  const plain = (text: string, variant?: number) => strongETag(text, variant).split("-").slice(0, 2).join("-");
  assert.deepEqual([plain("[]"), plain("[]", 1), plain("[é]"), plain("x".repeat(500))], [
    '"2-0',
    '"2-1',
    '"3-0',
    '"500-0',
  ]);
});

test("conditionalAnswer() answers 304 without a body, and with the headers of the representation", () => {
  const fresh = representation("[]", "always", { link: "<x>" }, 1);
  const etag = strongETag("[]", 1);
  assert.deepEqual(fresh, {
    status: 200,
    headers: { "content-type": "application/json", "x-content-type-options": "nosniff", etag, link: "<x>" },
    body: "[]",
    etag,
    holds: "always",
  });
  assert.equal(conditionalAnswer(fresh, createExchange({})), fresh);
  assert.equal(conditionalAnswer(fresh, createExchange({ "if-none-match": strongETag("[]") })), fresh);
  assert.deepEqual(conditionalAnswer(fresh, createExchange({ "if-none-match": `"x", W/${etag}` })), {
    status: 304,
    headers: { etag, link: "<x>" },
    body: null,
  });
});

test("a strong entity tag tells long texts apart that differ anywhere, in length alone, or in the order of their words", () => {
  const base = "abcd".repeat(500);
  const texts = [base, base + "a", base + "\0", base + "\0\0", "x".repeat(300_000), "x".repeat(300_001)];
  for (let i = 0; i < base.length; i++) texts.push(base.slice(0, i) + "é" + base.slice(i + 1));
  for (let i = 0; i < base.length; i += 4) texts.push(base.slice(0, i) + "dcba" + base.slice(i + 4));
  // Two changes at once, in one lane or in two, must not cancel out.
  for (let i = 4; i < base.length; i += 4) texts.push("Abcd" + base.slice(4, i) + "Abcd" + base.slice(i + 4));
  assert.equal(new Set(texts.map((text) => strongETag(text))).size, texts.length);
});

const APP = "https://app.example";
const ANSWER: Answer = { status: 200, headers: {}, body: "[]" };

test("createCors() grants listed origins only, and never credentials", () => {
  const cors = createCors({ origins: [APP, "http://localhost:5173"] });
  for (const origin of [APP, "http://localhost:5173"]) {
    const headers = new Headers(cors.extend(ANSWER, crossOrigin("GET", origin)).headers);
    assert.equal(headers.get("access-control-allow-origin"), origin);
    assert.equal(headers.get("vary"), "Origin");
    assert.equal(headers.has("access-control-allow-credentials"), false);
    assert.match(headers.get("access-control-expose-headers") ?? "", /Link.*Location.*ETag.*WWW-Authenticate/);
  }
  const others = ["https://evil.example", `${APP}.evil.example`, `${APP}:444`, "http://app.example", "null", `${APP}/`];
  for (const origin of others) {
    assert.deepEqual(cors.extend(ANSWER, crossOrigin("GET", origin)).headers, { vary: "Origin" }, origin);
    assert.equal(cors.preflight(crossOrigin("OPTIONS", origin, "POST")), undefined, origin);
  }
});

test("createCors() answers a preflight, and only a preflight", () => {
  const cors = createCors({ origins: [APP] });
  const answer = cors.preflight(crossOrigin("OPTIONS", APP, "POST"));
  assert.equal(answer?.status, 204);
  assert.equal(answer?.body, null);
  const headers = new Headers(answer?.headers);
  assert.match(headers.get("access-control-allow-methods") ?? "", /GET.*POST/);
  assert.match(headers.get("access-control-allow-headers") ?? "", /Authorization.*Content-Type/);
  assert.equal(cors.preflight(crossOrigin("OPTIONS", APP)), undefined);
  assert.equal(cors.preflight(crossOrigin("POST", APP, "POST")), undefined);
});

test("createCors() grants every origin as *, and the same to all", () => {
  const cors = createCors({ origins: ["*"] });
  for (const origin of [APP, "null"]) {
    const headers = new Headers(cors.extend(ANSWER, crossOrigin("GET", origin)).headers);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.equal(headers.has("access-control-allow-credentials"), false);
    assert.equal(cors.preflight(crossOrigin("OPTIONS", origin, "POST"))?.status, 204);
  }
});

test("createCors() refuses what is no origin", () => {
  for (const origin of ["", "app.example", `${APP}/`, `${APP}/x`, "https://APP.example", "null", "*", `${APP}:443`]) {
    assert.throws(() => createCors({ origins: [APP, origin] }), {
      name: "TypeError",
      message: `CORS origin ${JSON.stringify(origin)} must be an origin such as "https://app.example"`,
    });
  }
});

/** A request as a browser sends it. */
function crossOrigin(method: string, origin: string, asks: string | null = null): Exchange {
  return createExchange({ origin, "access-control-request-method": asks }, method);
}
