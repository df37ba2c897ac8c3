/** withFaults(): which requests fail on purpose, how, and what their clients make of it. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { type FaultOptions, withFaults } from "../../lib/petstore/faults.ts";
import { connect } from "node:net";
import { createMemoryStore, createPetstore, type PetstoreOptions, type ResponseInfo } from "../../mod.ts";
import { withListening } from "../support/http/listening.ts";
import type { PetStore } from "../../lib/stores/store.ts";
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
  const pets = async (): Promise<unknown[]> => (await send("GET")).json();
  /** The faults of so many requests. */
  async function draw(count: number, method = "GET"): Promise<(string | null)[]> {
    const all: (string | null)[] = [];
    for (let i = 0; i < count; i++) all.push((await send(method)).headers.get(FIELD));
    return all;
  }
  return { petstore, send, pets, draw };
}

test("a request that is unavailable or cut is not carried out, and one that is lost is", async () => {
  for (const [fault, isCarriedOut] of [["unavailable", false], ["cut", false], ["lose", true]] as const) {
    const statuses: number[] = [];
    const onResponse = ({ method, status }: ResponseInfo) => void (method === "POST" && statuses.push(status));
    const { send, pets } = faulty({ [fault]: 1, times: 1, operations: ["createPet"] }, { onResponse });
    const { status, headers } = await send("POST");
    assert.deepEqual([status, headers.get(FIELD), (await pets()).length], [503, fault, isCarriedOut ? 1 : 0]);
    assert.equal((await send("POST")).status, 201);
    assert.deepEqual(statuses, [isCarriedOut ? 201 : 503, 201]);
  }
});

test("the body of a response that is cut or lost never ends well", async () => {
  for (const fault of ["cut", "lose"]) {
    await assert.rejects((await faulty({ [fault]: 1 }).send("GET")).text(), /^TypeError: .* fault on purpose$/);
  }
  // The stream of an app whose response is lost is told, so that it can close what it reads.
  const cancelled = Promise.withResolvers<void>();
  const handleStoreOrders = () => new Response(new ReadableStream({ cancel: () => cancelled.resolve() }));
  await faulty({ lose: 1 }, { handleStoreOrders }).send("GET", "/v1/store/orders");
  await cancelled.promise;
});

test("a delay comes before the request is carried out", () =>
  withVirtualClock(async (clock) => {
    let askedAt = 0;
    const store: PetStore = createMemoryStore();
    const create = store.create.bind(store);
    store.create = (pet) => {
      askedAt = clock.now();
      return create(pet);
    };
    const { status, headers } = await faulty({ delay: 1, delayMs: 700 }, { store }).send("POST");
    assert.deepEqual([status, headers.get(FIELD), askedAt], [201, "delay", 700]);
  }));

test("the same seed draws the same faults, another one others, and each has its share", async () => {
  const shares = { unavailable: 0.2, cut: 0.1, lose: 0.3, delay: 0.1, delayMs: 1 };
  const drawn = await faulty(shares).draw(500);
  assert.deepEqual(await faulty({ ...shares, seed: 1 }).draw(500), drawn);
  assert.notDeepEqual(await faulty({ ...shares, seed: 2 }).draw(500), drawn);
  for (const [name, share] of [["unavailable", 0.2], ["cut", 0.1], ["lose", 0.3], ["delay", 0.1]] as const) {
    const seen = drawn.filter((fault) => fault === name).length / 500;
    assert.ok(Math.abs(seen - share) < 0.05, `${name}: ${seen}`);
  }
});

test("only the named operations have faults, so often as they may, and nothing else draws one", async () => {
  const operations = ["listPets"];
  const { draw, send } = faulty({ unavailable: 1, operations, times: 3 });
  // The names are taken when the petstore is made.
  operations.push("createPet");
  for (const [method, path] of [["POST"], ["OPTIONS"], ["PUT"], ["GET", "/v1/pets/1"], ["GET", "/v1/cats"]] as const) {
    assert.equal((await send(method, path)).headers.get(FIELD), null);
  }
  assert.deepEqual(await draw(1, "HEAD"), ["unavailable"]);
  assert.deepEqual(await draw(3), ["unavailable", "unavailable", null]);
});

test("withFaults() refuses what is no petstore, and options that are unknown or wrong", () => {
  const petstore = createPetstore({ keys: [KEY] });
  assert.throws(
    () => withFaults({ ...petstore, handle: (request) => petstore.handle(request) }, {}),
    /^TypeError: withFaults\(\) takes/,
  );
  const wrong: [options: unknown, message: RegExp][] = [
    [{ lose: "1" }, /^TypeError: Option lose must be a share from 0 to 1, not "1"/],
    [{ cut: 0.6, lose: 0.5 }, /^RangeError: The shares of delay, unavailable, cut, lose must total at most 1/],
    [{ operations: ["createCat"] }, /^TypeError: Option operations must be one or more of listPets, createPet, /],
  ];
  for (const [options, message] of wrong) assert.throws(() => withFaults(petstore, options as FaultOptions), message);
});

test("a client without a valid key draws no fault, and uses up none", async () => {
  const { send } = faulty({ unavailable: 1, times: 1 });
  for (const authorization of ["", "Bearer wrong", "Basic a"]) {
    const { status, headers } = await send("GET", "/v1/pets", { authorization });
    assert.deepEqual([status, headers.get(FIELD)], [401, null]);
  }
  assert.equal((await send("GET")).headers.get(FIELD), "unavailable");
  assert.equal((await send("GET")).status, 200);
});

test("on Node a cut comes after the responses to earlier requests of the connection, and is no failure", async () => {
  const told: unknown[] = [];
  const { petstore } = faulty({ cut: 1, operations: ["listPets"] }, { onError: ({ error }) => told.push(error) });
  await withListening(createServer(createNodeListener(petstore)), async (port) => {
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    const request = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
    socket.write(request("/v1/pets/1") + request("/v1/pets/2") + request("/v1/pets"));
    const received = (await Array.fromAsync(socket).catch(() => [])).join("");
    assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 404", "HTTP/1.1 404"]);
    assert.deepEqual(told, []);
  });
});
