/** The address of the client, which comes with the request, and the limit that needs it. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { afterEach, beforeEach, test } from "node:test";
import { inspect } from "node:util";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { type ConnectionInfo, createMemoryStore, createPetstore, createRateLimit, type Petstore } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";

const warnings: string[] = [];
const { warn } = console;
beforeEach(() => {
  warnings.length = 0;
  console.warn = (line: string) => warnings.push(line);
});
afterEach(() => {
  console.warn = warn;
});

function createLimited(more: Partial<Parameters<typeof createPetstore>[0]> = {}): Petstore {
  return createPetstore({ keys: ["k"], rateLimit: createRateLimit({ requests: 2, windowMs: 60_000 }), ...more });
}

const guess = () => new Request("http://localhost/v1/pets", { headers: { authorization: "Bearer wrong" } });
const at = (hostname: string): ConnectionInfo => ({ remoteAddr: { transport: "tcp", hostname } });

async function statuses(count: number, send: () => Promise<Response>): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i++) found.push((await send()).status);
  return found;
}

test("handle() takes the address as Deno.serve passes it, and limits each address", async () => {
  const { handle } = createLimited();
  assert.deepEqual(await statuses(3, () => handle(guess(), at("10.0.0.1"))), [401, 401, 429]);
  assert.deepEqual(await statuses(1, () => handle(guess(), at("10.0.0.2"))), [401]);
  assert.deepEqual(warnings, []);
});

/** Ways in which an app passes a petstore on, all of which keep the address. */
const PASSED_ON: ((petstore: Petstore) => Parameters<typeof createNodeListener>[0])[] = [
  (petstore) => petstore,
  (petstore) => ({ ...petstore }),
  ({ handle }) => handle,
  ({ handle }) => async (request, info) => new Response((await handle(request, info)).body, { status: 418 }),
];

test("a petstore on node:http gets the address, also if an app wraps its handle and passes the address on", async () => {
  for (const passOn of PASSED_ON) {
    const petstore = createLimited();
    await withNode(passOn(petstore), async (url) => {
      const send = () => fetch(url, { headers: { authorization: "Bearer wrong", ...CLOSE } });
      for (let i = 0; i < 2; i++) await (await send()).body?.cancel();
    });
    assert.equal((await petstore.handle(guess(), at("127.0.0.1"))).status, 429);
  }
  assert.deepEqual(warnings, []);
});

test("a limit on a host that tells no address says so once, and still limits callers", async () => {
  const { handle } = createLimited();
  assert.deepEqual(await statuses(4, () => handle(guess())), [401, 401, 401, 401]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /rateLimit limits no addresses/);
  const known = () => new Request("http://localhost/v1/pets", { headers: { authorization: "Bearer k" } });
  assert.deepEqual(await statuses(3, () => handle(known())), [200, 200, 429]);
  assert.equal(warnings.length, 1);
});

test("a limit with clientHeader, and no limit at all, say nothing", async () => {
  await createLimited({ rateLimit: createRateLimit({ requests: 2, windowMs: 1000, clientHeader: "x-real-ip" }) })
    .handle(guess());
  await createPetstore({ keys: ["k"] }).handle(guess());
  assert.deepEqual(warnings, []);
});

test("a clientHeader is found in any case, also on node:http", () => {
  const petstore = createLimited({
    rateLimit: createRateLimit({ requests: 2, windowMs: 60_000, clientHeader: "X-Real-IP" }),
  });
  return withNode(petstore, async (url) => {
    const from = (address: string) => async () => {
      const response = await fetch(url, { headers: { authorization: "Bearer wrong", "x-real-ip": address, ...CLOSE } });
      await response.body?.cancel();
      return response;
    };
    assert.deepEqual(await statuses(3, from("10.0.0.1")), [401, 401, 429]);
    assert.deepEqual(await statuses(1, from("10.0.0.2")), [401]);
  });
});

test("handle() ignores a second argument that tells no address, such as the environment of a Worker", async () => {
  const { handle } = createLimited({ rateLimit: createRateLimit({ requests: 100, windowMs: 60_000 }) });
  for (const environment of [{ DB: {} }, null, "x", { remoteAddr: "10.0.0.1" }, { remoteAddr: { hostname: 7 } }, []]) {
    assert.equal((await handle(guess(), environment as ConnectionInfo)).status, 401);
  }
});

test("fetch() is another name of handle(), and takes no address from what a Worker passes", async () => {
  const { handle, fetch } = createLimited();
  assert.equal(fetch, handle);
  const environment = at("10.0.0.1");
  assert.deepEqual(await statuses(3, () => fetch(guess(), environment, { waitUntil() {} })), [401, 401, 401]);
  // Hono passes the context of a host that has none.
  assert.deepEqual(await statuses(3, () => fetch(guess(), environment, undefined)), [401, 401, 429]);
});

/** Otherwise the server would wait for the connection, which its client keeps. */
const CLOSE = { connection: "close" };

/** Serves on a free port while `use` runs. */
function withNode(service: Parameters<typeof createNodeListener>[0], use: (url: string) => Promise<void>) {
  const server = createServer(createNodeListener(service));
  return withListening(server, (port) => use(`http://127.0.0.1:${port}/v1/pets`));
}

const denied = () => Promise.resolve(new Response("denied", { status: 403 }));

/** Ways in which an app or a tool wraps a `handle`. Each denies every request. */
const WRAPPERS: [how: string, wrap: (petstore: Petstore) => unknown][] = [
  ["a proxy in place of the handle", ({ handle }) => ({ handle: new Proxy(handle, { apply: denied }) })],
  ["the proxy alone", ({ handle }) => new Proxy(handle, { apply: denied })],
  ["a function with the members of the handle", ({ handle }) => Object.assign(denied.bind(null), handle)],
  ["a function that inherits from the handle", ({ handle }) => Object.setPrototypeOf(denied.bind(null), handle)],
  ["a copy with another handle", (petstore) => ({ ...petstore, handle: denied })],
  ["an object that inherits", (petstore) => Object.assign(Object.create(petstore), { handle: denied })],
  ["a proxy of the petstore", (petstore) => new Proxy(petstore, { get: () => denied })],
  ["a petstore whose handle was replaced", (petstore) => Object.assign(petstore, { handle: denied })],
];

test("createNodeListener() never bypasses a wrapper", async () => {
  for (const [how, wrap] of WRAPPERS) {
    await withNode(wrap(createPetstore({ keys: ["k"] })) as Petstore, async (url) => {
      const response = await fetch(url, { headers: { authorization: "Bearer k", ...CLOSE } });
      assert.deepEqual([response.status, await response.text()], [403, "denied"], how);
    });
  }
});

test("a petstore that is logged shows no settings", () => {
  const petstore = createPetstore({
    keys: ["pk_secret"],
    store: Object.assign(createMemoryStore(), { url: "secret" }),
  });
  assert.doesNotMatch(inspect(petstore, { depth: 10 }), /secret/);
  assert.deepEqual(Reflect.ownKeys({ ...petstore }), ["handle", "fetch"]);
});
