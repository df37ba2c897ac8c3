/** createClient() on sockets: what a network, a proxy or an attacker may answer, byte by byte. */

import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers";
import { inspect } from "node:util";
import { createClient } from "../mod.ts";
import { failed } from "./support.ts";
import {
  fieldOf,
  response,
  type Script,
  type Scripted,
  withScript,
} from "../../../tests/support/http/scripted_server.ts";

const REX = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}';
const NEW_REX = { name: "Rex", categoryId: 2n ** 63n - 1n };

type Pets = ReturnType<typeof createClient>["pets"];

/** Runs `use` with a client of a server that follows the script. */
function withClient<T>(
  script: Script,
  use: (pets: Pets, server: Scripted) => Promise<T>,
) {
  return withScript(script, (server) => {
    // There are few retries, so that a test which fails does not take long.
    const { pets } = createClient({ baseUrl: `${server.origin}/v1`, key: "pk_test", maxRetries: 2 });
    return use(pets, server);
  });
}

const WHOLE = response(201, REX);
const CHUNKED = "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";

const cutBody = (type: string) => `HTTP/1.1 201 Created\r\n${type}connection: close\r\n\r\n${REX.slice(0, -9)}`;

const CUT: Record<string, string> = {
  "before its response": "",
  "in the head": WHOLE.slice(0, 40),
  // Over plain HTTP, Chromium takes what has come of a head for the whole.
  "in the head, which looks whole": "HTTP/1.1 201 Created\r\nconnection: close\r\n\r\n",
  "in the type, which looks whole": "HTTP/1.1 201 Created\r\nconnection: close\r\ncontent-type: applic\r\n\r\n",
  "before the body": WHOLE.slice(0, WHOLE.indexOf("{")),
  "in the body": WHOLE.slice(0, -9),
  "in a chunk": `${CHUNKED}ff\r\n${REX}`,
  "in a body without a length": cutBody("content-type: APPLICATION/JSON\r\n"),
  "in a body without a type": cutBody(""),
  "in the body of a failure": response(503, '{"code":"overloaded"', { "content-length": "99" }),
};

for (const [where, bytes] of Object.entries(CUT)) {
  test(`a create whose connection is cut ${where} is sent again with its Idempotency-Key`, () =>
    withClient((_, number) => number < 2 ? bytes : WHOLE, async (pets, { requests }) => {
      assert.deepEqual(await pets.create(NEW_REX), { id: 1n, ...NEW_REX, status: "available" });
      assert.equal(requests.length, 3);
      assert.ok(fieldOf(requests[0], "idempotency-key"));
      assert.equal(new Set(requests.map((request) => fieldOf(request, "idempotency-key"))).size, 1);
      assert.equal(new Set(requests.map((request) => request.split("\r\n\r\n")[1])).size, 1);
    }));
}

test("a page of a list whose connection is cut is fetched again, and each pet comes once", () =>
  withClient((request, number) => {
    if (number % 2 === 0) return response(200, `[${REX}]`).slice(0, -20);
    const link = { link: '</v1/pets?cursor=x>; rel="next"' };
    return response(200, `[${REX}]`, request.includes("cursor=x") ? {} : link);
  }, async (pets, { requests }) => {
    assert.equal((await Array.fromAsync(pets.list())).length, 2);
    assert.equal(requests.length, 4);
  }));

test("a create without an Idempotency-Key is sent once, on a kept connection that ends before the response too", () =>
  withClient(
    (_, number) => number === 0 ? [WHOLE.replace("connection: close\r\n", "")] : "",
    async (pets, { requests }) => {
      await pets.create(NEW_REX, { idempotencyKey: null });
      // Node keeps a connection for requests of a later turn.
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal((await failed(pets.create(NEW_REX, { idempotencyKey: null }))).code, "connection_failed");
      assert.equal(requests.length, 2);
      for (const request of requests) assert.ok(request.includes('"name":"Rex"'));
    },
  ));

test("a server that is away is a connection_failed, with what the system says and the attempts", async () => {
  const gone = await withScript(() => "", ({ origin }) => Promise.resolve(origin));
  const { pets } = createClient({ baseUrl: `${gone}/v1`, key: "pk_test", maxRetries: 1 });
  const { code, message, cause } = await failed(pets.get(1n));
  assert.equal(code, "connection_failed");
  assert.ok(message.startsWith(`GET ${gone}/v1/pets/1 got no whole response: `), message);
  assert.match(message, /(ECONNREFUSED|Connection refused|Unable to connect).* \(2 attempts\)$/);
  assert.ok(cause instanceof Error);
  assert.match(inspect(cause), /ECONNREFUSED|ConnectionRefused|Connection refused/);
});

test("a redirect is an error, and neither the key nor the pet goes to its target", () =>
  withScript(
    () => WHOLE,
    (other) =>
      withClient(() => response(307, "", { location: `${other.origin}/v1/pets` }), async (pets, { requests }) => {
        for (const call of [() => pets.create(NEW_REX), () => pets.get(1n), () => Array.fromAsync(pets.list())]) {
          const { code, message } = await failed(call());
          assert.equal(code, "unexpected_response");
          assert.ok(message.includes(`is redirected to ${other.origin}/v1/pets; baseUrl must be`), message);
        }
        assert.deepEqual([requests.length, other.requests.length], [3, 0]);
      }),
  ));

test("of a link, only the query is used: it goes to baseUrl, whatever the origin of the link is", () =>
  withScript(() => response(200, "[]"), async (other) => {
    for (const target of [`${other.origin}/pets`, "/v1/pets/", ""]) {
      await withClient((request) => {
        const link = { link: `<${target}?cursor=x>; rel="next"` };
        return response(200, `[${REX}]`, request.includes("cursor") ? {} : link);
      }, async (pets, { requests }) => {
        assert.equal((await pets.list().toArray()).length, 2);
        assert.equal(requests.length, 2);
      });
    }
    assert.equal(other.requests.length, 0);
  }));

test("a link to something other than the list is an error", async () => {
  const targets = ["/v1/store/orders?cursor=x", "/v1/pets/7?cursor=x", "http://[/pets", "https://other.example/"];
  for (const target of [...targets, "data:,/pet"]) {
    await withClient(() => response(200, "[]", { link: `<${target}>; rel="next"` }), async (pets, { requests }) => {
      const { code, message } = await failed(Array.fromAsync(pets.list()));
      assert.deepEqual([code, message, requests.length], [
        "unexpected_response",
        `The next page is not one of this list: ${target}`,
        1,
      ]);
    });
  }
});

test("pages that bring no new pet for ever, though each has a new cursor, end in an error", async () => {
  const bodies = [() => "[]", () => `[${REX}]`, (number: number) => number % 2 === 0 ? "[]" : `[${REX}]`];
  for (const body of bodies) {
    await withClient((_, number) => response(200, body(number), linkTo(number, number - 400)), async (pets, server) => {
      assert.match((await failed(pets.list().toArray())).message, /^100 pages in a row brought no new pet$/);
      assert.ok(server.requests.length <= 102, `${server.requests.length} requests`);
    });
  }
});

test("99 pages without a pet are passed over, again and again", () =>
  withClient((_, number) => {
    const pet = REX.replace("1", String(number));
    return response(200, number % 100 === 99 ? `[${pet}]` : "[]", number < 300 ? linkTo(number, 0) : {});
  }, async (pets) => {
    assert.deepEqual((await pets.list().toArray()).map(({ id }) => id), [99n, 199n, 299n]);
  }));

/** Links to pages without end, or almost: otherwise a test that fails would not end. */
function linkTo(cursor: number, number: number): Record<string, string> {
  return number < 100 ? { link: `<?cursor=${cursor}>; rel="next"` } : {};
}

test("pages that go in a circle, or lead into one, end in an error", async () => {
  for (const [start, length] of [[0, 1], [0, 2], [0, 5], [5, 3]] as const) {
    await withClient((_, number) => {
      return response(200, "[]", linkTo(number < start ? number : start + number % length, number));
    }, async (pets, { requests }) => {
      assert.match((await failed(Array.fromAsync(pets.list({ limit: 1 })))).message, /go in a circle/);
      assert.ok(requests.length <= start + 3 * length + 1, `${requests.length} requests`);
    });
  }
});

test("a signal ends a call before and while it runs, with the caller's own reason, and nothing after it", async () => {
  const reason = new Error("The user has left"), controllers = Array.from({ length: 3 }, () => new AbortController());
  const [before, during, after] = controllers as [AbortController, AbortController, AbortController];
  await withClient((_, number) => {
    if (number === 0) return WHOLE;
    during.abort(reason);
    return [WHOLE.slice(0, -9)];
  }, async (pets, { idle, requests }) => {
    before.abort(reason);
    await assert.rejects(pets.create(NEW_REX, { signal: before.signal }), reason);
    await assert.rejects(pets.list({ signal: before.signal }).toArray(), reason);
    assert.equal(requests.length, 0);
    const pet = await pets.create(NEW_REX, { signal: after.signal });
    after.abort(reason);
    assert.equal(pet.id, 1n);
    await assert.rejects(pets.create(NEW_REX, { signal: during.signal }), reason);
    await idle();
    assert.equal(requests.length, 2);
  });
});
