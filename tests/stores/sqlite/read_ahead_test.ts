/** Reading ahead: who walks, what is read for them, and when it is let go. */

import assert from "node:assert/strict";
import test from "node:test";
import { createMemoryStore, type PetPage, type PetQuery } from "../../../mod.ts";
import { ReadAhead } from "../../../lib/stores/sqlite/read_ahead.ts";

/** A reader over 100 pets that notes what it reads from the store, and does what is put off when it is told to. */
function createReader() {
  const store = createMemoryStore();
  for (let i = 0; i < 100; i++) store.create({ name: "Rex", categoryId: 1n, status: "sold" });
  const reads: bigint[] = [];
  const put: (() => void)[] = [];
  const pages = new ReadAhead((query: PetQuery) => {
    reads.push(query.after);
    return store.list(query) as PetPage;
  }, (work) => put.push(work));
  const list = (after: bigint, version = 1, limit = 10) => pages.list({ after, limit }, version);
  return { store, list, reads, rest: () => put.splice(0).forEach((work) => work()) };
}

test("who asks for one page has nothing read ahead", () => {
  const { list, reads, rest } = createReader();
  for (const after of [0n, 50n, 0n, 20n]) list(after);
  rest();
  assert.deepEqual(reads, [0n, 50n, 0n, 20n]);
});

test("who follows a page has the next one read, once, before asking for it", () => {
  const { store, list, reads, rest } = createReader();
  list(0n);
  list(10n);
  rest();
  assert.deepEqual(reads, [0n, 10n, 20n]);
  assert.deepEqual(list(20n), store.list({ after: 20n, limit: 10 }));
  assert.deepEqual(reads, [0n, 10n, 20n]);
});

test("who asks before the next page has been read gets it all the same, and it is not read again", () => {
  const { list, reads, rest } = createReader();
  for (const after of [0n, 10n, 20n]) list(after);
  assert.deepEqual(reads, [0n, 10n, 20n]);
  rest();
  assert.deepEqual(reads, [0n, 10n, 20n, 30n]);
});

test("a page that was read ahead is dropped when the version changes", () => {
  const { list, reads, rest } = createReader();
  list(0n);
  list(10n);
  rest();
  list(20n, 2);
  assert.deepEqual(reads, [0n, 10n, 20n, 20n]);
});

test("the last page is read when it is asked for: it may have grown", () => {
  const { store, list, reads, rest } = createReader();
  list(70n);
  list(80n);
  rest();
  store.create({ name: "Bo", categoryId: 1n, status: "sold" });
  assert.match(list(90n).json, /"id":100,/);
  assert.deepEqual(reads, [70n, 80n, 90n, 90n]);
});

test("walks with another limit or status are other walks, and only so many are followed", () => {
  const { list, reads, rest } = createReader();
  list(0n, 1, 10);
  list(10n, 1, 5);
  rest();
  assert.deepEqual(reads, [0n, 10n]);
  for (let limit = 20; limit < 90; limit++) list(0n, 1, limit);
  // More walks than are remembered have begun since: this is no walk any more.
  list(15n, 1, 5);
  rest();
  assert.equal(reads.at(-1), 15n);
});
