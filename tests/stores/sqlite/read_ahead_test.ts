/** Reading ahead: which pages are read before the client asks for them, and when they are dropped. */

import assert from "node:assert/strict";
import test from "node:test";
import { ReadAhead } from "../../../lib/stores/sqlite/read_ahead.ts";
import { createMemoryStore, type PetPage } from "../../../mod.ts";

/** A reader of 100 pets that notes the `after` of each page that it reads from the store. */
function createReader() {
  const store = createMemoryStore();
  for (let i = 0; i < 100; i++) store.create({ name: "Rex", categoryId: 1n, status: "sold" });
  const reads: bigint[] = [];
  const pages = new ReadAhead((query) => {
    reads.push(query.after);
    return store.list(query) as PetPage;
  });
  const list = (after: bigint, version = 1, limit = 10) => pages.list({ after, limit }, version);
  return { store, list, reads };
}

/** Waits until pages have been read ahead. */
function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("single pages cause no reading ahead", async () => {
  const { list, reads } = createReader();
  for (const after of [0n, 50n, 0n, 20n]) list(after);
  await rest();
  assert.deepEqual(reads, [0n, 50n, 0n, 20n]);
});

test("after two consecutive pages, the next one is read once, before the client asks for it", async () => {
  const { store, list, reads } = createReader();
  list(0n);
  list(10n);
  await rest();
  assert.deepEqual(reads, [0n, 10n, 20n]);
  assert.deepEqual(list(20n), store.list({ after: 20n, limit: 10 }));
  assert.deepEqual(reads, [0n, 10n, 20n]);
});

test("a page that the client asks for before it was read ahead is read only once", async () => {
  const { list, reads } = createReader();
  for (const after of [0n, 10n, 20n]) list(after);
  assert.deepEqual(reads, [0n, 10n, 20n]);
  await rest();
  assert.deepEqual(reads, [0n, 10n, 20n, 30n]);
});

test("a page that was read ahead is dropped when the store was altered", async () => {
  const { list, reads } = createReader();
  list(0n);
  list(10n);
  await rest();
  list(20n, 2);
  assert.deepEqual(reads, [0n, 10n, 20n, 20n]);
});

test("the last page is read when the client asks for it, because creates may extend it", async () => {
  const { store, list, reads } = createReader();
  list(70n);
  list(80n);
  await rest();
  store.create({ name: "Bo", categoryId: 1n, status: "sold" });
  assert.match(list(90n).json, /"id":100,/);
  assert.deepEqual(reads, [70n, 80n, 90n, 90n]);
});

test("another limit is another walk, and the oldest of more than 64 walks is dropped", async () => {
  const { list, reads } = createReader();
  list(0n, 1, 10);
  list(10n, 1, 5);
  await rest();
  assert.deepEqual(reads, [0n, 10n]);
  for (let limit = 20; limit < 90; limit++) list(0n, 1, limit);
  list(15n, 1, 5);
  await rest();
  assert.equal(reads.at(-1), 15n);
});

test("a page that cannot be read ahead is read again when the client asks for it", async () => {
  let isBroken = false;
  const pages = new ReadAhead(({ after }) => {
    if (isBroken) throw new Error("disk I/O error");
    return { json: "[]", next: after + 1n };
  });
  for (const after of [0n, 1n]) pages.list({ after, limit: 1 }, 1);
  isBroken = true;
  await rest();
  assert.throws(() => pages.list({ after: 2n, limit: 1 }, 1), /disk I\/O error/);
  isBroken = false;
  assert.deepEqual(pages.list({ after: 2n, limit: 1 }, 1), { json: "[]", next: 3n });
});
