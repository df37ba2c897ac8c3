/** createClient() and a server that sends the key back, or too much; and a call that has the key in the wrong place. */

import assert from "node:assert/strict";
import test from "node:test";
import { createClient, PetstoreError } from "../../lib/client/client.ts";

// As it is, in JSON and in an address, it differs.
const KEY = 'pk_"secret"/0123456789';

async function failed(call: Promise<unknown>): Promise<PetstoreError> {
  const [outcome] = await Promise.allSettled([call]);
  assert.ok(outcome?.status === "rejected" && outcome.reason instanceof PetstoreError, String(outcome));
  return outcome.reason;
}

function clientOf(respond: () => Response | Promise<Response>, maxRetries = 0) {
  const fetch = async () => await respond();
  return createClient({ baseUrl: "http://localhost/v1", key: KEY, fetch, maxRetries }).pets;
}

function assertHidden(thrown: unknown): void {
  let error = thrown as Error | undefined;
  for (; error instanceof Error; error = error.cause as Error | undefined) {
    assert.doesNotMatch(`${error.message} ${error.stack} ${JSON.stringify(error)}`, /pk_|secret|0123/);
  }
}

const json = { "content-type": "application/json" };
const address = `/login?token=${encodeURIComponent(KEY)}`;

const ECHOES: Record<string, () => Response> = {
  "a page": () => new Response(`Bad request. Authorization: Bearer ${KEY}`, { status: 500 }),
  "a page in which a shortened message ends": () => new Response(`${"x".repeat(50)}${KEY}`, { status: 500 }),
  "an Error": () => Response.json({ code: KEY, message: `No: ${KEY}`, status: 400 }, { status: 400 }),
  "X-Request-Id": () => new Response("{}", { status: 400, headers: { "x-request-id": KEY } }),
  "Location": () => new Response(null, { status: 302, headers: { location: `https://other.example${address}` } }),
  "Link": () => Response.json([], { headers: { link: `<${address}>; rel="next"` } }),
  "a circle": () => Response.json([], { headers: { link: `</pets?${encodeURIComponent(KEY)}>; rel="next"` } }),
  "incomplete JSON": () => new Response(`[${JSON.stringify(`Bearer ${KEY}`)}`, { headers: json }),
  "what is no JSON": () => new Response(KEY, { headers: json }),
};

for (const [where, respond] of Object.entries(ECHOES)) {
  test(`no error has the key that a server sends back in ${where}`, async () => {
    assertHidden(await failed(Array.fromAsync(clientOf(respond).list())));
  });
}

test("a message shows where the key was", async () => {
  const messages = ["an Error", "incomplete JSON"].map(async (where) => {
    return (await failed(clientOf(ECHOES[where]!).get(1n))).message;
  });
  assert.deepEqual(await Promise.all(messages), [
    "No: …",
    `GET http://localhost/v1/pets/1 got incomplete JSON: ${JSON.stringify('["Bearer …"')}`,
  ]);
});

test("no TypeError quotes what may be the key, or a password", async () => {
  const thrown: unknown[] = [];
  for (const baseUrl of [KEY, `https://user:${encodeURIComponent(KEY)}@pets.example/v1`]) {
    assert.throws(() => createClient({ baseUrl, key: "http://localhost/v1" }), (error) => thrown.push(error) > 0);
  }
  const pets = clientOf(() => Response.json([]));
  const wrong = KEY as unknown as bigint;
  for (const call of [pets.get(wrong), pets.create({ name: "Rex", categoryId: wrong })]) {
    await assert.rejects(call, (error) => thrown.push(error) > 0);
  }
  assert.equal(thrown.length, 4);
  for (const error of thrown) {
    assert.ok(error instanceof TypeError);
    assertHidden(error);
  }
});

/** A response that does not end, and how much of it was read. */
function endless(init: ResponseInit) {
  const read = { mebibytes: 0 };
  const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    // Otherwise a test that fails would not end.
    if (++read.mebibytes > 40) controller.close();
    else controller.enqueue(new Uint8Array(2 ** 20).fill(0x20));
  };
  return { read, response: new Response(new ReadableStream({ pull }), init) };
}

const ENDLESS: Record<string, () => ReturnType<typeof endless>> = {
  "a success": () => endless({ headers: json }),
  "a passing failure": () => endless({ status: 503 }),
  "a compressed body, whose length is not that of the text": () =>
    endless({ headers: { "content-length": "9", "content-encoding": "gzip" } }),
  "a body of another origin, whose encoding a browser hides": () => {
    const found = endless({ headers: { "content-length": "9" } });
    Object.defineProperty(found.response, "type", { value: "cors" });
    return found;
  },
  "a body that is announced": () => endless({ headers: { "content-length": String(2 ** 40) } }),
};

for (const [name, make] of Object.entries(ENDLESS)) {
  test(`a response that does not end is read up to 16 MiB, and not asked for again: ${name}`, async () => {
    const { read, response } = make();
    let tries = 0;
    const respond = () => {
      tries++;
      return response;
    };
    const { code, message } = await failed(clientOf(respond, 1).get(1n));
    assert.deepEqual([code, tries], ["unexpected_response", 1]);
    assert.match(message, /got more than 16777216 bytes$/);
    assert.ok(read.mebibytes <= 19, `${read.mebibytes} MiB`);
  });
}

test("a response of almost 16 MiB is read", async () => {
  const text = " ".repeat(16 * 2 ** 20 - 2) + "[]";
  assert.deepEqual(await Array.fromAsync(clientOf(() => new Response(text)).list()), []);
});
