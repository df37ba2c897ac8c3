/** Fills a store, measures it on the way and prints the results as a line of JSON. No socket, one process. */

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import process from "node:process";
import { createMemoryStore } from "../../mod.ts";
import type { PetQuery, PetStore } from "../../lib/stores/store.ts";
import { sample, scalePetAt } from "../catalogue.ts";
import { fillStore } from "../fill.ts";
import { type CurvePoint, spreadOf } from "../row.ts";
import { readSettings } from "./host.ts";

export interface ScaleSettings {
  store: "memory" | "sqlite";
  path: string;
  pets: number;
}

export interface ScaleResult {
  curve: CurvePoint[];
  /** The cost of each kind of page in each round, in microseconds. */
  kinds: Record<"first" | "last" | "rare", number[]>;
  /** The longest stretch of a thousand creates, in milliseconds; of the memory store only. */
  longestPause: number;
  /** Bytes of memory, or of the file, for each pet. */
  bytesPerPet: number;
}

const ROUNDS = 5;
const SMALLEST = 1_000;

/** Pages of a part. */
const PART = 50;

const { store: kind, path, pets } = readSettings<ScaleSettings>();
const store = await createStore(path);
await warmUp();
const before = residentBytes();
console.log(JSON.stringify(await measure()));

async function createStore(path: string): Promise<PetStore> {
  if (kind === "memory") return createMemoryStore();
  return (await import("../../lib/stores/sqlite/sqlite_store.ts")).createSqliteStore(path);
}

/** Lets the engine compile the measured code, with a store that is discarded. */
async function warmUp(): Promise<void> {
  const other = await createStore(":memory:");
  await fill(other, 1, SMALLEST);
  const starts = Array.from({ length: SMALLEST }, (_, after) => BigInt(after));
  for (let pass = 0; pass < 20; pass++) {
    await timePages(other, starts.map((after) => ({ after, limit: 20 })));
    await timePages(other, starts.map((after) => ({ after, limit: 10, status: "sold" })));
  }
  await other.close();
}

async function measure(): Promise<ScaleResult> {
  const curve: CurvePoint[] = [];
  let longestPause = 0;
  for (let from = 1, size = SMALLEST; from <= pets; from = size + 1, size = Math.min(size * 10, pets)) {
    longestPause = Math.max(longestPause, await fill(store, from, size));
    curve.push({ pets: size, microseconds: await pageCost(size) });
  }
  await checkFilled();
  const kinds = await compareKinds();
  const resident = residentBytes();
  await store.close();
  const bytes = kind === "memory" ? resident - before : statSync(path).size;
  return { curve, kinds, longestPause, bytesPerPet: bytes / pets };
}

/** Checks the contents of the store, so that the figures are not those of an incomplete one. */
async function checkFilled(): Promise<void> {
  const { json, next } = await store.list({ after: 0n, limit: 100, status: "sold" });
  const ids = JSON.parse(json).map(({ id }: { id: number }) => id);
  assert.deepEqual(ids, Array.from({ length: 10 }, (_, i) => (i + 1) * Math.trunc(pets / 10)));
  assert.equal(next, undefined);
  assert.ok(await store.get(BigInt(pets)));
  assert.equal(await store.get(BigInt(pets + 1)), undefined);
}

function petAt(id: number) {
  return scalePetAt(id, pets);
}

/** Resolves to the longest time of a thousand creates, or to 0 if creates wait for a disk. */
async function fill(store: PetStore, from: number, to: number): Promise<number> {
  if (kind === "memory") return await fillOneByOne(store, from, to);
  await fillStore(store, to, from, petAt);
  return 0;
}

/** Fills the store like a server that gets one POST after another. */
async function fillOneByOne(store: PetStore, from: number, to: number): Promise<number> {
  let longest = 0;
  for (let start = from; start <= to; start += 1000) {
    const begin = performance.now();
    for (let id = start; id < start + 1000 && id <= to; id++) {
      const { name, categoryId, status } = petAt(id);
      await store.create({ name, categoryId: BigInt(categoryId), status });
    }
    longest = Math.max(longest, performance.now() - begin);
    // A server's event loop turns, too.
    if (start % 100_000 === 1) await new Promise((resolve) => setTimeout(resolve));
  }
  return longest;
}

/** The cost of a page of 20 anywhere. Each page is read once, so that no cache can have it. */
async function pageCost(size: number): Promise<number> {
  const starts = sample(9000, 0, size - 21);
  const each = Math.trunc(starts.length / ROUNDS);
  const costs: number[] = [];
  // Warms up at the present size, with other limits.
  for (const limit of [15, 16, 17, 18, 19]) {
    await timePages(store, starts.map((after) => ({ after: BigInt(after), limit })));
  }
  for (let round = 0; round < ROUNDS; round++) {
    const queries = starts.slice(round * each, (round + 1) * each).map((after) => ({
      after: BigInt(after),
      limit: 20,
    }));
    costs.push(await timePages(store, queries));
  }
  return spreadOf(costs).median;
}

/** First pages, last pages and pages of the rare status, 10 pets each. After the first round, each page is read once. */
async function compareKinds(): Promise<ScaleResult["kinds"]> {
  const each = 1500;
  const kinds: ScaleResult["kinds"] = { first: [], last: [], rare: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const numbers = Array.from({ length: each }, (_, i) => BigInt(round * each + i));
    const queries: Record<keyof ScaleResult["kinds"], PetQuery[]> = {
      first: numbers.map((number) => ({ after: number, limit: 10 })),
      last: numbers.map((number) => ({ after: BigInt(pets - 10) - number, limit: 10 })),
      rare: numbers.map((number) => ({ after: number, limit: 10, status: "sold" })),
    };
    for (const kind of ["first", "last", "rare"] as const) {
      const cost = await timePages(store, queries[kind]);
      if (round > 0) kinds[kind].push(cost);
    }
  }
  return kinds;
}

/** Microseconds for a page: the median of small parts, so that a pause does not count. */
async function timePages(store: PetStore, queries: readonly PetQuery[]): Promise<number> {
  const costs: number[] = [];
  for (let start = 0; start < queries.length; start += PART) {
    const part = queries.slice(start, start + PART);
    const begin = performance.now();
    for (const query of part) await store.list(query);
    costs.push((performance.now() - begin) * 1000 / part.length);
  }
  return spreadOf(costs).median;
}

/** The resident memory of this process after garbage collection, including memory outside of the heap. */
function residentBytes(): number {
  const { gc } = globalThis as { gc?: () => void };
  for (let i = 0; i < 3; i++) gc?.();
  return process.memoryUsage().rss;
}
