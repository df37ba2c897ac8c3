/** A server that is hostile, or only strange, can neither stop a run nor learn or show the key. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as assertions } from "../lib/http/assert.ts";
import { conformanceCases, type Handle } from "../mod.ts";
import { KEY } from "../../../tests/support/api.ts";
import { changed, isOne, newPetstore, runCases } from "../../../tests/support/conformance.ts";
import { response, withScript } from "../../../tests/support/http/scripted_server.ts";

const PETS = Array.from({ length: 20_000 }, (_, i) => `{"id":${i + 1},"name":"n","categoryId":7,"status":"sold"}`);

/** Responses that take gigabytes, or hours, if a case does more than linear work on them. */
const HOSTILE: [what: string, change: Parameters<typeof changed>[0], reason: RegExp][] = [
  ["a Link of 100,000 characters", ({ headers }) => headers.set("link", "<".repeat(100_000)), /./],
  [
    "20,000 pets in a list",
    (response, request) => {
      if (request.method === "GET" && !isOne(request)) response.text = `[${PETS}]`;
    },
    /^A list must have at most 100 pets, not 20000$/,
  ],
];

for (const [what, change, reason] of HOSTILE) {
  test(`a server that sends ${what} cannot stop the cases`, async () => {
    const fetch = changed((seen, request) => {
      if (seen.status < 300) change(seen, request);
    });
    const { errors } = await runCases({ fetch });
    assert.ok(errors.some((error) => reason.test(error.reason)));
    assert.ok(errors.every((error) => error.reason.length < 2_000), "A reason is as long as the response");
  });
}

test("an assertion of the cases compares 200,000 values that all differ, and does not look for their difference", () => {
  const [some, others] = [0, 1].map((first) => Array.from({ length: 100_000 }, (_, i) => 2 * i + first));
  assert.throws(() => assertions.deepEqual(some, others, "All"), {
    message: /^All: \[0,2,.{390,}… should be \[1,3,.{390,}…$/,
  });
});

test("an assertion of the cases shows the first difference of long texts, and every digit", () => {
  const [one, other] = ["a", "b"].map((end) => "x".repeat(5_000) + end);
  assert.throws(() => assertions.equal(one, other, "A text"), { message: /^A text: …x{40}a" should be …x{40}b"$/ });
  assert.throws(() => assertions.deepEqual([2n ** 63n - 1n], ["1"], "A number"), {
    message: 'A number: [9223372036854775807] should be ["1"]',
  });
});

/** Sends back what it gets, with the key. */
async function echo(request: Request): Promise<Response> {
  const { authorization = "", ...rest } = Object.fromEntries(request.headers);
  const text = `\x1b[2J\u009b ${authorization} ${JSON.stringify(rest)} ${await request.text()}`;
  return new Response(text, { status: 418, headers: { "x-echo": authorization } });
}

test("a case shows neither the key nor control characters, even if the server echoes them", async () => {
  for (const key of [KEY, "k"]) {
    const { failed, errors } = await runCases({ fetch: echo, key });
    assert.ok(failed.length > 50);
    const shown = errors.map(({ message }) => message).join("\n");
    assert.match(shown, /^> authorization: Bearer <key>$/m);
    assert.match(shown, /^< \\u001b\[2J\\u009b/m);
    assert.match(shown, /^< x-echo: Bearer <key>$/m);
    // A key as short as this is part of other words.
    assert.equal(/^< \\u001b\[2J\\u009b Bearer k \{/m.test(shown), key === "k");
    assert.ok(key === "k" || !shown.includes(KEY));
  }
});

const MADE = {
  longer: `${KEY}x`,
  "with another middle": `${KEY.slice(0, KEY.length / 2)}0${KEY.slice(KEY.length / 2 + 1)}`,
  encoded: btoa(`user:${KEY}`),
};

for (const [how, made] of Object.entries(MADE)) {
  test(`a case does not show credentials that it has made from the key: the key ${how}`, async () => {
    const petstore = newPetstore();
    const fetch: Handle = (request) => {
      const credentials = request.headers.get("authorization") ?? "";
      return credentials !== `Bearer ${KEY}` && credentials.includes(made) ? echo(request) : petstore(request);
    };
    const { failed, errors } = await runCases({ fetch }, "specification");
    assert.deepEqual(failed, [
      "shows nothing to a request without the right key, in any dress",
      "stores nothing for a request without the right key, in any dress",
    ]);
    const [{ message } = { message: "" }] = errors;
    assert.match(message, /^> authorization: <other credentials>\n[^]*^< x-echo: \w+ <key>$/m);
    assert.ok(!message.includes(KEY.slice(1, -1)) && !message.includes(made));
  });
}

/** Characters that JSON and addresses escape, and letters that differ between both alphabets of Base64. */
const STRANGE = 'pk"\\%~~~???/>>>0123456789';

/** How a response may have the key, and how it is shown. */
type Echo = [how: string, write: (key: string) => string, shown: RegExp];

const ECHOES: Echo[] = [
  ["as it is", (key) => key, /< <key>$/],
  ["in JSON", (key) => JSON.stringify({ key }), /\{"key":"<key>"\}$/],
  ["in JSON in JSON", (key) => JSON.stringify(JSON.stringify({ key })), /\\"<key>\\"/],
  ["in an address", (key) => `?a=${encodeURIComponent(`1${key}2`)}`, /\?a=1<key>2$/],
  ...inBase64After(""),
  ...inBase64After("u:"),
  ...inBase64After("u"),
];

function inBase64After(start: string): Echo[] {
  return [
    [`in Base64 after "${start}"`, (key) => btoa(`${start}${key} or so`), /< .{0,3}<key>.{8,13}$/],
    [
      `in the other Base64 after "${start}"`,
      (key) => btoa(start + key).replace(/\+/g, "-").replace(/\//g, "_"),
      /<key>/,
    ],
  ];
}

for (const [how, write, shown] of ECHOES) {
  test(`a case does not show a key that a server writes ${how}`, async () => {
    const fetch: Handle = () => Promise.resolve(new Response(write(STRANGE)));
    const { errors } = await runCases({ fetch, key: STRANGE }, "specification");
    for (const { exchange } of errors) assert.match(exchange, shown);
    assert.ok(errors.length > 10);
  });
}

test("a reason does not show a part of a key where it is cut off", async () => {
  const named = (start: number) =>
    JSON.stringify([{ id: 1, name: "x".repeat(start) + KEY, categoryId: 7, status: "lost" }]);
  const bodies = [160, 360, 380, 385, 390, 395, 500, 520, 530, 540].flatMap((
    start,
  ) => [named(start), "x".repeat(start) + KEY, `[${KEY}`]);
  for (const text of bodies) {
    const { errors } = await runCases({ fetch: () => Promise.resolve(new Response(text)) }, "specification");
    for (const { reason } of errors) assert.ok(!reason.includes(KEY.slice(0, 6)), reason);
    assert.ok(errors.length > 10);
  }
});

test("a case shows no character that is invisible or turns a text", async () => {
  const text = "a\u200fb\u061cc\ufeffd\u200be\u{e0041}f\u{1fffe}g\u2066h";
  const { errors: [error] } = await runCases({ fetch: () => Promise.resolve(new Response(text)) }, "specification");
  assert.match(error?.message ?? "", /a\\u200fb\\u061cc\\ufeffd\\u200be\\u\{e0041\}f\u{1fffe}g\\u2066h$/u);
});

/** How a server answers a create that has added a pet, and what is told of it. */
const ANSWERS: [status: number, body: string, told: (bigint | undefined)[]][] = [
  [201, '{"id":7}', [7n]],
  [201, "{}", [undefined]],
  [200, "", [undefined]],
  [302, "", [undefined]],
  [500, '{"id":7}', [undefined]],
  [503, "{}", [undefined]],
  [400, "{}", []],
];

test("conformanceCases() tell of each create that may have left a pet, and of none that was refused", async () => {
  for (const [status, body, told] of ANSWERS) {
    const ids: (bigint | undefined)[] = [];
    const fetch: Handle = () => Promise.resolve(new Response(body, { status }));
    const cases = conformanceCases({
      baseUrl: "https://petstore.example/v1",
      key: KEY,
      fetch,
      onCreate: (id) => ids.push(id),
    });
    const create = cases.find(({ name }) =>
      name === "creates a pet with the name, the category and the status that were sent, or without a status"
    );
    await create?.run().catch(() => {});
    assert.deepEqual(ids, told, `${status} ${body}`);
  }
});

test("conformanceCases() send each create once, also where the runtime repeats what has no response", () =>
  withScript((request) => request.startsWith("POST") ? "" : response(200, "[]"), async ({ origin, requests }) => {
    let told = 0;
    const onCreate = () => void told++;
    const { errors } = await runCases({ baseUrl: `${origin}/v1`, onCreate }, "specification");
    const onDeno = /^Deno/.test(navigator.userAgent);
    assert.equal(errors.some(({ exchange }) => exchange.includes("> transfer-encoding: chunked")), onDeno);
    assert.ok(told > 5);
    assert.equal(requests.filter((request) => request.startsWith("POST")).length, told);
  }));
