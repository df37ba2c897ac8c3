/** withFaults(): which requests fail on purpose, how, and what their clients make of it. */

import assert from "node:assert/strict";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { type FaultOptions, withFaults } from "../../lib/petstore/faults.ts";
import { createMemoryStore, createPetstore, type PetstoreOptions } from "../../mod.ts";
import { exchange } from "../support/http/node_exchange.ts";
import { KEY, petRequest, REX } from "../support/pet_requests.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const FIELD = "petstore-fault";

/** A petstore with faults, and ways to send it requests. A POST has a pet. */
function faulty(faults: FaultOptions, options: Partial<PetstoreOptions> = {}) {
  // Hashing a listed key would take real time.
  const petstore = withFaults(createPetstore({ keys: (key) => key === KEY, ...options }), faults);
  const send = (method: string, path = "/v1/pets", headers: Record<string, string> = {}) => {
    return petstore.handle(petRequest(path, { method, headers, body: method === "POST" ? REX : null }));
  };
  /** The faults of so many requests. */
  const draw = (count: number, method = "GET", path?: string) =>
    Array.fromAsync({ length: count }, async () => (await send(method, path)).headers.get(FIELD));
  return { petstore, send, draw };
}

test("a request that is unavailable or cut is not carried out, and one that is lost is", async () => {
  for (const [fault, pets] of [["unavailable", 0], ["cut", 0], ["lose", 1]] as const) {
    const { send } = faulty({ [fault]: 1, times: 1, operations: ["createPet"] });
    const { status, headers } = await send("POST");
    const { length } = await (await send("GET")).json() as unknown[];
    assert.deepEqual([status, headers.get(FIELD), length], [503, fault, pets]);
    assert.equal((await send("POST")).status, 201);
  }
});

test("the body of a response that is cut or lost never ends well", async () => {
  for (const fault of ["cut", "lose"]) {
    await assert.rejects((await faulty({ [fault]: 1 }).send("GET")).text(), /^TypeError: .* fault on purpose$/);
  }
});

test("a delay comes before the request is carried out", () =>
  withVirtualClock(async (clock) => {
    let askedAt = 0;
    const memory = createMemoryStore();
    const store = Object.assign(memory, { list: () => (askedAt = clock.now(), { json: "[]" }) });
    const { status, headers } = await faulty({ delay: 1, delayMs: 700 }, { store }).send("GET");
    assert.deepEqual([status, headers.get(FIELD), askedAt], [200, "delay", 700]);
  }));

test("the same seed draws the same faults, another one others, and each has its share", async () => {
  const shares = { unavailable: 0.2, cut: 0.1, lose: 0.3, delay: 0.1 };
  const drawn = await faulty({ ...shares, delayMs: 1 }).draw(500);
  assert.deepEqual(await faulty({ ...shares, delayMs: 1, seed: 1 }).draw(100), drawn.slice(0, 100));
  assert.notDeepEqual(await faulty({ ...shares, delayMs: 1, seed: 2 }).draw(100), drawn.slice(0, 100));
  for (const [name, share] of Object.entries(shares)) {
    const seen = drawn.filter((fault) => fault === name).length / 500;
    assert.ok(Math.abs(seen - share) < 0.05, `${name}: ${seen}`);
  }
});

test("only the named operations with a valid key have faults, so often as they may, and nothing else draws one", async () => {
  const { draw, send } = faulty({ unavailable: 1, operations: ["listPets"], times: 3 });
  for (const [method, path] of [["POST"], ["OPTIONS"], ["PUT"], ["GET", "/v1/pets/1"], ["GET", "/v1/cats"]] as const) {
    assert.deepEqual(await draw(1, method, path), [null]);
  }
  const refused = await send("GET", "/v1/pets", { authorization: "Bearer wrong" });
  assert.deepEqual([refused.status, refused.headers.get(FIELD)], [401, null]);
  assert.deepEqual(await draw(1, "HEAD"), ["unavailable"]);
  assert.deepEqual(await draw(3), ["unavailable", "unavailable", null]);
});

test("the faults of a petstore that has some already come before those, and a request gets one fault", async () => {
  const { petstore } = faulty({ cut: 1, times: 2 });
  const more = withFaults(petstore, { lose: 1, times: 1 });
  const drawn = await Array.fromAsync({ length: 4 }, async () => {
    return (await more.handle(petRequest("/v1/pets"))).headers.get(FIELD);
  });
  assert.deepEqual(drawn, ["lose", "cut", "cut", null]);
});

test("withFaults() refuses what is no petstore, and options that are unknown or wrong", () => {
  const petstore = createPetstore({ keys: [KEY] });
  const wrapped = { ...petstore, handle: (request: Request) => petstore.handle(request) };
  assert.throws(() => withFaults(wrapped, {}), /^TypeError: withFaults\(\) takes/);
  const wrong: [options: unknown, message: RegExp][] = [
    [{ lose: "1" }, /^TypeError: Option lose must be a share from 0 to 1, not "1"/],
    [{ cut: 0.6, lose: 0.5 }, /^RangeError: The shares of delay, unavailable, cut, lose must total at most 1/],
    [{ operations: ["createCat"] }, /^TypeError: Option operations must be one or more of listPets, createPet, /],
  ];
  for (const [options, message] of wrong) assert.throws(() => withFaults(petstore, options as FaultOptions), message);
});

test("on Node a cut comes after the responses to earlier requests of the connection, and is no failure", async () => {
  const told: unknown[] = [];
  const { petstore } = faulty({ cut: 1, operations: ["listPets"] }, { onError: ({ error }) => told.push(error) });
  const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
  const received = await exchange(
    createNodeListener(petstore),
    get("/v1/pets/1") + get("/v1/pets/2") + get("/v1/pets"),
  );
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 404", "HTTP/1.1 404"]);
  assert.deepEqual(told, []);
});
