/** A server that is hostile, or only strange, can neither stop a run nor learn or show the key. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import type { ConformanceTarget, Handle } from "../mod.ts";
import { KEY } from "../../../tests/support/api.ts";
import { newPetstore, runCases } from "../../../tests/support/conformance.ts";
import { withListening } from "../../../tests/support/http/listening.ts";

/** The message of the first case of the specification that fails, or empty if none does. */
async function firstFailure(target: Partial<ConformanceTarget>): Promise<string> {
  const { errors } = await runCases(target, "specification", true);
  return errors[0]?.message ?? "";
}

test("a case ends at the time limit of a response that has begun", async () => {
  const server = createServer((_, response) => void response.writeHead(200).write("["));
  await withListening(server, async (port) => {
    const message = await firstFailure({ baseUrl: `http://127.0.0.1:${port}/v1`, timeoutMs: 500 });
    assert.match(message, /< 200\n[^]*< \(no whole response: none within 500 ms/);
    server.closeAllConnections();
  });
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

test("a case ends, and keeps little, if a body has no end", async () => {
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController) => {
    sent++;
    controller.enqueue(new Uint8Array(2 ** 20));
  };
  const fetch: Handle = () => Promise.resolve(new Response(new ReadableStream({ pull })));
  const message = await firstFailure({ fetch });
  assert.match(message, /< 200\n[^]*< \(no whole response: the body has more than 16777216 bytes\)/);
  assert.ok(sent < 20, `${sent} MiB`);
});

test("a case shows neither the key nor a character that controls a terminal or is invisible, even if the server echoes them", async () => {
  const key = 'pk_"Secret"+/Z';
  const echo: Handle = async (request) => {
    const headers = Object.fromEntries(request.headers), { authorization = "" } = headers;
    const told = `${authorization} ${JSON.stringify(headers)} ${encodeURIComponent(key)} ${await request.text()}`;
    return new Response(`\x1b[2J\u009b\u200f\ufeff ${told}`, { status: 418, headers: { "x-echo": authorization } });
  };
  const { failed, errors } = await runCases({ fetch: echo, key });
  assert.ok(failed.length > 25);
  const shown = errors.map(({ message }) => message).join("\n");
  assert.match(shown, /^> authorization: Bearer <key>$/m);
  assert.match(shown, /^< \\u\{1b\}\[2J\\u\{9b\}\\u\{200f\}\\u\{feff\} /m);
  assert.match(shown, /^< x-echo: Bearer <key>$/m);
  for (const form of [key, '\\"Secret\\"', "%2B%2FZ"]) assert.ok(!shown.includes(form), form);
});

test("a case does not show credentials that it has made from the key", async () => {
  const petstore = newPetstore(), made = btoa(`user:${KEY}`);
  const fetch: Handle = async (request) =>
    request.headers.get("authorization") === `Basic ${made}` ? new Response(made) : await petstore(request);
  assert.match(await firstFailure({ fetch }), /^> authorization: Basic <key>\n[^]*^< <key>$/m);
});
