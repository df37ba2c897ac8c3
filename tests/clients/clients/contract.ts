/** The contract of every generated client. The cases share a server, so each looks at its own pets only. */

import assert from "node:assert/strict";
import { nextPage } from "../examples/common.ts";
import type { ClientResponse, Pet, PetClient, PetStatus } from "./pet_client.ts";

/** Makes a client with this key (`null` for no key), by default with the valid one. */
export type Connect = (key?: string | null) => PetClient;

export interface Case {
  name: string;
  run: (connect: Connect) => Promise<void>;
  /** Whether every request is right, and none of its responses is one that Prism makes itself: see docs/clients.md. */
  isForPrism: boolean;
}

const REX = { name: "Rex", categoryId: 7 };

async function add(client: PetClient, name = "Rex", status?: PetStatus): Promise<Pet> {
  const { status: code, data, error } = await client.create({ name, categoryId: 7, ...(status ? { status } : {}) });
  assert.equal(code, 201, error?.message);
  assert.ok(data);
  return data;
}

/** Follows `next` to the end. */
async function walk(client: PetClient, status: PetStatus, limit: number): Promise<Pet[][]> {
  const pages: Pet[][] = [];
  let page: { cursor?: string } | undefined = {};
  while (page) {
    const { data, headers } = await client.list({ status, limit, ...page });
    assert.ok(data);
    pages.push(data);
    page = nextPage(headers);
  }
  return pages;
}

const USES: Omit<Case, "isForPrism">[] = [
  {
    name: "creates a pet, and gets it by its id",
    run: async (connect) => {
      const client = connect();
      const created = await client.create({ ...REX, status: "pending" });
      assert.equal(created.status, 201);
      const pet = created.data;
      assert.deepEqual(pet, { id: pet?.id, ...REX, status: "pending" });
      assert.equal(created.headers.get("location"), `/v1/pets/${pet.id}`);
      const { status, headers, data } = await client.get(pet.id);
      assert.deepEqual([status, data], [200, pet]);
      assert.equal(headers.get("sunset"), "Thu, 05 Dec 2030 00:00:00 GMT");
    },
  },
  {
    name: "creates one pet when it repeats a request with an Idempotency-Key",
    run: async (connect) => {
      const client = connect();
      const key = { "Idempotency-Key": crypto.randomUUID() };
      const first = await client.create(REX, key);
      const again = await client.create(REX, key);
      assert.deepEqual([first.status, again.status], [201, 201]);
      assert.deepEqual(again.data, first.data);
      assert.deepEqual([first, again].map(({ headers }) => headers.get("idempotency-replayed")), [null, "true"]);
    },
  },
  {
    name: "lists up to 20 pets, or up to the limit that it asks for",
    run: async (connect) => {
      const client = connect();
      for (let i = 0; i < 21; i++) await add(client, "Milo");
      const counts = [undefined, 21, 3].map(async (limit) =>
        (await client.list(limit === undefined ? {} : { limit })).data?.length
      );
      assert.deepEqual(await Promise.all(counts), [20, 21, 3]);
    },
  },
  {
    name: "filters by status, and follows next to the end",
    run: async (connect) => {
      const client = connect();
      const before = (await walk(client, "sold", 100)).flat().length;
      const added: number[] = [];
      for (let i = 0; i < 7; i++) {
        added.push((await add(client, "Bo", "sold")).id);
        await add(client, "Max", "available");
      }
      const pages = await walk(client, "sold", 3);
      const pets = pages.flat();
      assert.ok(pets.every(({ status }) => status === "sold"));
      assert.deepEqual(pets.slice(before).map(({ id }) => id), added);
      assert.equal(pages.length, Math.ceil((before + 7) / 3));
    },
  },
  {
    name: "gets 304 for a pet and for a list that have not changed",
    run: async (connect) => {
      const client = connect();
      const { id } = await add(client);
      for (const ask of [(headers = {}) => client.get(id, headers), (headers = {}) => client.list({}, headers)]) {
        const etag = (await ask()).headers.get("etag");
        assert.match(etag ?? "", /^"/);
        const { status, data, error, headers } = await ask({ "If-None-Match": etag ?? "" });
        assert.deepEqual([status, headers.get("etag"), error], [304, etag, undefined]);
        assert.equal(isEmpty(data), true);
      }
    },
  },
];

const FAILURES: Case[] = [
  fails(401, "without a key", (connect) => everyOperation(connect(null), "missing_api_key"), false),
  fails(401, "with a wrong key", (connect) => everyOperation(connect("pk_wrong"), "invalid_api_key")),
  fails(400, "for each query parameter", (connect) => [
    ["invalid_limit", connect().list({ limit: 101 })],
    ["invalid_limit", connect().list({ limit: 1.5 })],
    ["invalid_status", connect().list({ status: "lost" as PetStatus })],
    ["invalid_cursor", connect().list({ cursor: "abc" })],
  ], false),
  fails(400, "for an invalid pet and for an invalid Idempotency-Key", (connect) => [
    ["invalid_pet", connect().create({ name: "", categoryId: 7.5 }), /name .*; categoryId /],
    ["invalid_idempotency_key", connect().create(REX, { "Idempotency-Key": '"open' })],
  ], false),
  fails(404, "for an unknown pet", (connect) => [["pet_not_found", connect().get(2 ** 50)]]),
  fails(422, "for an Idempotency-Key that was used for another pet", async (connect) => {
    const key = { "Idempotency-Key": crypto.randomUUID() };
    await connect().create(REX, key);
    return [["idempotency_key_reused", connect().create({ ...REX, name: "Max" }, key)]];
  }),
  fails(501, "for store orders", (connect) => [["not_implemented", connect().orders()]], false),
];

export const CASES: Case[] = [...USES.map((use) => ({ ...use, isForPrism: true })), ...FAILURES];

/** A code, a request that gets it, and what its message says. */
type Failing = [code: string, response: Promise<ClientResponse<unknown, string>>, message?: RegExp];

/** A case whose requests all fail, each with an Error body and nothing else. */
function fails(
  expected: number,
  when: string,
  ask: (connect: Connect) => Failing[] | Promise<Failing[]>,
  isForPrism = true,
): Case {
  return {
    name: `meets ${expected} ${when}`,
    run: async (connect) => {
      for (const [code, response, message = /\w/] of await ask(connect)) {
        const { status, headers, data, error } = await response;
        assert.equal(data, undefined);
        assert.deepEqual([status, error?.code, error?.status], [expected, code, expected]);
        assert.deepEqual(Object.keys(error ?? {}), ["code", "message", "status"]);
        assert.match(error?.message ?? "", message);
        assert.match(headers.get("content-type") ?? "", /^application\/json/);
      }
    },
    isForPrism,
  };
}

function everyOperation(client: PetClient, code: string): Failing[] {
  return [[code, client.list()], [code, client.create(REX)], [code, client.get(1)], [code, client.orders()]];
}

/** Whether a client gives no data for a response without a body. */
function isEmpty(data: unknown): boolean {
  return data === undefined ||
    typeof data === "object" && data !== null && Object.keys(data).length === 0;
}
