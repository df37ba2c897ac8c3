/** Every operation of the table that writes, with the example of its description. */

import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { test } from "node:test";
import type { Definition, Describe } from "../../lib/operations/definition.ts";
import { DESCRIBED_OPERATIONS } from "../../lib/operations/table.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { PET_STATUSES } from "../../lib/pet.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { withNamespace } from "../../packages/conformance/lib/fixture.ts";
import { createMemoryStore, createPetstore } from "../../mod.ts";
import { KEY } from "../support/api.ts";
import { STORE_KINDS } from "../support/stores.ts";

type Send = (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<Response>;

/** A name and a status that no example has. */
const BEFORE = '{"name":"Before","categoryId":1,"status":"pending"}';

const LISTS = ["/pets", ...PET_STATUSES.map((status) => `/pets?status=${status}`)];

/** Every GET of the table, on the pets 1 and 2 if its path has an id, and short pages. */
const READS = [
  ...DESCRIBED_OPERATIONS.filter(([{ method }]) => method === "GET")
    .flatMap(([{ path }]) => [1, 2].map((id) => path.replace(/\{\w+\}$/, String(id)))),
  "/pets?limit=1",
  "/pets?limit=1&status=pending",
];

/** A store without counters, so that a petstore on it caches nothing. */
function withoutChanges(store: PetStore): PetStore {
  return {
    create: (pet) => store.create(pet),
    get: (id) => store.get(id),
    list: (query) => store.list(query),
    check: () => store.check(),
    close: () => store.close(),
  };
}

/** An operation, on a pet with an id if its path has one. */
class Write {
  readonly name: string;
  readonly #definition: Definition;
  readonly #describe: Describe;

  constructor([definition, describe]: readonly [Definition, Describe]) {
    this.#definition = definition;
    this.#describe = describe;
    this.name = `${definition.method} ${definition.path}`;
  }

  target(id: number): string {
    return this.#definition.path.replace(/\{\w+\}$/, String(id));
  }

  /** Sends the write with the example of the description, but for a number that JavaScript rounds. */
  send(send: Send, id: number, headers: Record<string, string> = {}): Promise<Response> {
    type Shown = { requestBody?: { content: Record<string, { example: unknown }> } };
    const { requestBody } = (this.#describe(checkOptions({ keys: [KEY] })).more ?? {}) as Shown;
    const content = requestBody?.content["application/json"];
    const body = content && JSON.stringify(content.example).replace(/\d+/, "9007199254740993");
    return send(this.#definition.method, this.target(id), headers, body);
  }
}

const WRITES = DESCRIBED_OPERATIONS.filter(([{ effect }]) => effect !== "reads").map((each) => new Write(each));

const READER = "pk_reader";

function serve(store: PetStore, key = KEY): Send {
  const { handle } = createPetstore({ keys: [KEY, { key: READER, readOnly: true }], store });
  return async (method, path, headers, body = null!) => {
    const authorized = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
    return await handle(new Request(`http://petstore.test/v1${path}`, { method, headers: authorized, body }));
  };
}

/** Often enough to be kept, and after a turn of the event loop, in which servers look for changes. All must say the same. */
async function read(servers: readonly Send[], paths: readonly string[]): Promise<string[]> {
  await new Promise((resolve) => setImmediate(resolve));
  const rounds: string[][] = [];
  for (const send of servers) {
    for (let i = 0; i < 4; i++) {
      rounds.push(await Promise.all(paths.map(async (path) => await (await send("GET", path)).text())));
    }
  }
  for (const round of rounds) assert.deepEqual(round, rounds[0]);
  return rounds[0]!;
}

/** Each GET of the table gets the same from servers that cache as from one that does not. */
async function requireFresh(servers: readonly Send[], uncached: Send): Promise<void> {
  const describe = async (send: Send, path: string) => {
    const { status, headers, ...response } = await send("GET", path).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }));
    return [path, status, headers.get("etag"), headers.get("link"), response.text];
  };
  for (const path of new Set(READS)) {
    const expected = await describe(uncached, path);
    for (const send of servers) {
      for (let i = 0; i < 3; i++) assert.deepEqual(await describe(send, path), expected);
    }
  }
}

for (const kind of STORE_KINDS) {
  for (const write of WRITES) {
    test(`${kind.name} store: no server sends again what ${write.name} has made obsolete`, () =>
      withNamespace(kind, async ({ open }) => {
        const stores = [await open(), ...(kind.sharing === "none" ? [] : [await open()])];
        const servers = stores.map((store) => serve(store)), [send] = servers as [Send];
        const paths = [...LISTS, write.target(1), write.target(2)];
        const create = () => send("POST", "/pets", { "idempotency-key": "one" }, BEFORE);
        assert.equal((await create()).status, 201);
        assert.equal((await send("POST", "/pets", {}, BEFORE)).status, 201);
        // The last pet comes last: the id of what is no longer there must not be given again.
        for (const id of [1, 2]) {
          const before = await read(servers, paths);
          const response = await write.send(send, id), written = await response.text();
          assert.ok(response.ok, written);
          const after = await read(servers, paths);
          await requireFresh(servers, serve(withoutChanges(stores[0]!)));
          assert.ok(after[0]!.includes(written), written);
          for (const path of ["/pets", write.target(id)]) {
            assert.notEqual(after[paths.indexOf(path)], before[paths.indexOf(path)], path);
          }
          const [all, ...ofStatus] = after.slice(0, LISTS.length)
            .map((json) => JSON.parse(json) as { status: string }[]);
          for (const [i, status] of PET_STATUSES.entries()) {
            assert.deepEqual(ofStatus[i], all!.filter((pet) => pet.status === status), status);
          }
        }
        assert.equal((await create()).headers.get("idempotency-replayed"), "true");
        const { id } = await (await send("POST", "/pets", {}, BEFORE)).json();
        assert.equal(id, 5);
      }));
  }
}

// Before any store is used, since functions that have run already are not counted by block.
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** What takes time that does not grow with the length of an array. */
const QUICK: PropertyKey[] = ["constructor", "at", "push", "pop"];

/** The methods of long arrays that `run` calls, and the blocks of code that it enters as often as a long array has members. */
async function longWork(run: () => Promise<unknown>, length: number): Promise<string[]> {
  const used: string[] = [];
  const all = Object.getOwnPropertyDescriptors(Array.prototype) as unknown as Record<PropertyKey, PropertyDescriptor>;
  const slow = Reflect.ownKeys(all).filter((name) => typeof all[name]!.value === "function" && !QUICK.includes(name));
  await session.post("Profiler.takePreciseCoverage");
  for (const name of slow) {
    const value = function (this: unknown[], ...parts: unknown[]): unknown {
      if (this.length > length) used.push(String(name));
      return all[name]!.value.apply(this, parts);
    };
    Object.defineProperty(Array.prototype, name, { ...all[name], value });
  }
  try {
    await run();
  } finally {
    for (const name of slow) Object.defineProperty(Array.prototype, name, all[name]!);
  }
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const functions = result.flatMap(({ functions }) => functions);
  return [
    ...used,
    ...functions.filter(({ ranges }) => ranges.some(({ count }) => count > length)).map(({ functionName }) =>
      functionName
    ),
  ];
}

for (const write of WRITES) {
  test(`${write.name} is refused to a key that may only read`, async () => {
    const store = createMemoryStore();
    await serve(store)("POST", "/pets", {}, BEFORE);
    assert.equal((await write.send(serve(store, READER), 1)).status, 403);
  });

  test(`in memory, ${write.name} takes no time that grows with the number of pets`, async () => {
    const store = createMemoryStore(), pets = 20_000;
    for (let i = 0; i < pets; i++) {
      const request = { key: `${i}`, fingerprint: "Rex", retentionMs: 86_400_000 };
      await store.createOnce!({ name: "Rex", categoryId: 7n, status: "pending" }, request);
    }
    const send = async () => assert.ok((await write.send(serve(store), 5)).ok);
    assert.deepEqual(await longWork(send, pets / 4), []);
  });
}
