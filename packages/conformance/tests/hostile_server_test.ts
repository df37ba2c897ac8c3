/** A server that is hostile, or only strange, can neither stop a run nor learn or show the key. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { assert as assertions } from "../lib/http/assert.ts";
import { conformanceCases, type Handle } from "../mod.ts";
import { KEY } from "../../../tests/support/api.ts";
import { changed, isOne, newPetstore, runCases } from "../../../tests/support/conformance.ts";
import { withListening } from "../../../tests/support/http/listening.ts";

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

test("a server that cuts the connection in some lists fails the cases that ask for them, and cannot stop the others", async () => {
  const petstore = newPetstore();
  const pull = (controller: ReadableStreamDefaultController) => controller.error(new Error("cut"));
  const fetch: Handle = async (request) =>
    request.url.endsWith("?status=sold") ? new Response(new ReadableStream({ pull })) : await petstore(request);
  const { passed, errors } = await runCases({ fetch }, "specification");
  assert.ok(passed.length > 2 && errors.length > 0);
  for (const { exchange, isUnanswered } of errors) {
    assert.match(exchange, /< 200\n[^]*< \(no whole response: cut\)/);
    assert.ok(isUnanswered);
  }
});

test("a case ends at the time limit of a response that has begun", async () => {
  const server = createServer((_, response) => void response.writeHead(200).write("["));
  await withListening(server, async (port) => {
    const [first] = conformanceCases({ baseUrl: `http://127.0.0.1:${port}/v1`, key: KEY, timeoutMs: 100 });
    await assert.rejects(() => first!.run(), /< 200\n[^]*< \(no whole response: .*none within 100 ms/);
    server.closeAllConnections();
  });
});

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
  const text = `\x1b[2J\u009b\u200f\ufeff ${authorization} ${JSON.stringify(rest)} ${await request.text()}`;
  return new Response(text, { status: 418, headers: { "x-echo": authorization } });
}

test("a case shows neither the key nor a character that controls a terminal or is invisible, even if the server echoes them", async () => {
  const { failed, errors } = await runCases({ fetch: echo });
  assert.ok(failed.length > 30);
  const shown = errors.map(({ message }) => message).join("\n");
  assert.match(shown, /^> authorization: Bearer <key>$/m);
  assert.match(shown, /^< \\u\{1b\}\[2J\\u\{9b\}\\u\{200f\}\\u\{feff\} /m);
  assert.match(shown, /^< x-echo: Bearer <key>$/m);
  assert.ok(!shown.includes(KEY));
});

test("a case does not show credentials that it has made from the key", async () => {
  const petstore = newPetstore(), made = btoa(`user:${KEY}`);
  const fetch: Handle = (request) =>
    request.headers.get("authorization") === `Basic ${made}` ? echo(request) : petstore(request);
  const { errors: [error] } = await runCases({ fetch }, "specification");
  const message = error?.message ?? "";
  assert.match(message, /^> authorization: <other credentials>\n[^]*^< x-echo: Basic <key>$/m);
  assert.ok(!message.includes(made));
});

test("a reason does not show a part of a key where it is cut off", async () => {
  for (const start of [160, 360, 385, 395, 530]) {
    const named = JSON.stringify([{ id: 1, name: "x".repeat(start) + KEY, categoryId: 7, status: "lost" }]);
    for (const text of [named, "x".repeat(start) + KEY]) {
      const { errors } = await runCases({ fetch: () => Promise.resolve(new Response(text)) }, "specification");
      for (const { reason } of errors) assert.ok(!reason.includes(KEY.slice(0, 6)), reason);
      assert.ok(errors.length > 4);
    }
  }
});

/** How a server answers a create that has added a pet, and what is told of it. */
const ANSWERS: [status: number, body: string, told: (bigint | undefined)[]][] = [
  [201, '{"id":7}', [7n]],
  [201, "{}", [undefined]],
  [200, "", [undefined]],
  [302, "", [undefined]],
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
    const create = cases.find(({ name }) => name === "sends pets and lists as application/json");
    await create?.run().catch(() => {});
    assert.deepEqual(ids, told, `${status} ${body}`);
  }
});

test("conformanceCases() send each create once, with its length, also where the runtime repeats what has no response", async () => {
  const lengths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.method !== "POST") return void response.end("[]");
      // Keeps the connection, and ends it within the next create.
      if (lengths.push(request.headers["content-length"]) % 2 === 1) response.writeHead(500).end();
      else request.socket.end();
    });
  });
  await withListening(server, async (port) => {
    let told = 0;
    await runCases({ baseUrl: `http://127.0.0.1:${port}/v1`, onCreate: () => void told++ }, "specification");
    server.closeAllConnections();
    assert.ok(told > 5);
    assert.equal(lengths.length, told);
    assert.ok(lengths.every((length) => Number(length) > 0));
  });
});
