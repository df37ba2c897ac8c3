/** The contract of every generated client. The cases share a server, so each looks at its own pets only. */

import assert from "node:assert/strict";
import { nextPage } from "../examples/common.ts";
import type { Answer, Pet, PetClient, PetStatus } from "./pet_client.ts";

/** Makes a client with this key (`null` for no key), by default with the valid one. */
export type Connect = (key?: string | null) => PetClient;

export interface Case {
  name: string;
  run: (connect: Connect) => Promise<void>;
  /** Why it cannot go through Prism, see prism_test.ts; `request` if the request is wrong on purpose. */
  notThroughPrism?: string;
  /** Whether the client can do it. */
  isPossible?: (client: PetClient) => boolean;
}

/** A pet that a case adds. */
export async function add(client: PetClient, name = "Rex", status?: PetStatus): Promise<Pet> {
  const { status: code, data, error } = await client.create({ name, categoryId: 7, ...(status ? { status } : {}) });
  assert.equal(code, 201, error?.message);
  assert.ok(data);
  return data;
}

/** Follows `next` to the end. */
export async function walk(client: PetClient, status: PetStatus, limit: number): Promise<Pet[][]> {
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

/** Checks a failure: its status, its code, and that the body is an Error body and nothing else. */
export function assertFailure(
  { status, headers, data, error }: Answer<unknown, string>,
  expected: number,
  code: string,
): void {
  assert.equal(data, undefined);
  assert.deepEqual([status, error?.code, error?.status], [expected, code, expected]);
  assert.deepEqual(Object.keys(error ?? {}), ["code", "message", "status"]);
  assert.match(error?.message ?? "", /\w/);
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
}

export const USES: Case[] = [
  {
    name: "creates a pet, and gets it by its id",
    run: async (connect) => {
      const client = connect();
      const created = await client.create({ name: "Rex", categoryId: 7, status: "pending" });
      assert.equal(created.status, 201);
      const pet = created.data;
      assert.deepEqual(pet, { id: pet?.id, name: "Rex", categoryId: 7, status: "pending" });
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
      const first = await client.create({ name: "Luna", categoryId: 7 }, key);
      const again = await client.create({ name: "Luna", categoryId: 7 }, key);
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
  {
    name: "asks by HEAD",
    notThroughPrism: "it answers undescribed methods itself",
    run: async (connect) => {
      const client = connect();
      const { id } = await add(client);
      const [got, head] = [await client.get(id), await client.head(id)];
      assert.deepEqual([head.status, head.headers.get("etag")], [200, got.headers.get("etag")]);
      assert.equal(isEmpty(head.data), true);
      assert.equal((await client.head(2 ** 50)).status, 404);
    },
  },
];

/** Whether a client gives no data for an answer without a body. */
function isEmpty(data: unknown): boolean {
  return data === undefined ||
    typeof data === "object" && data !== null && Object.keys(data).length === 0;
}
