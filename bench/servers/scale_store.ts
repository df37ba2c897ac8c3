/** Fills a store up to its full size and measures it on the way: no socket, one process, one line of JSON at the end. */

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import process from "node:process";
import { createMemoryStore, type PetQuery, type PetStore } from "../../mod.ts";
import { sample, scalePetAt } from "../catalogue.ts";
import { fillStore } from "../fill.ts";
import { type CurvePoint, spreadOf } from "../row.ts";
import { readSettings } from "./host.ts";

/** What it can be told. */
export interface ScaleSettings {
  store: "memory" | "sqlite";
  path: string;
  pets: number;
}

/** What it has found out. */
export interface ScaleResult {
  curve: CurvePoint[];
  /** For each kind of page, its cost in each round, in microseconds. */
  kinds: Record<"first" | "last" | "rare", number[]>;
  /** The longest stretch of a thousand creates, in milliseconds; of the memory store only. */
  longestPause: number;
  /** Bytes of memory, or of the file, for each pet. */
  bytesPerPet: number;
}

const ROUNDS = 5;
const SMALLEST = 1_000;

/** Pages that are timed together. */
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

/** Lets the engine compile what is to be measured, on a store that is thrown away. */
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

/** Figures of a store that does not hold what it should would say nothing. */
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

/** Answers with the longest stretch of a thousand creates, or with 0 where creates wait for a disk. */
async function fill(store: PetStore, from: number, to: number): Promise<number> {
  if (kind === "memory") return await fillOneByOne(store, from, to);
  await fillStore(store, to, from, petAt);
  return 0;
}

/** Fills as a server does that gets one POST after the other. */
async function fillOneByOne(store: PetStore, from: number, to: number): Promise<number> {
  let longest = 0;
  for (let start = from; start <= to; start += 1000) {
    const begin = performance.now();
    for (let id = start; id < start + 1000 && id <= to; id++) {
      const { name, categoryId, status } = petAt(id);
      await store.create({ name, categoryId: BigInt(categoryId), status });
    }
    longest = Math.max(longest, performance.now() - begin);
    // As in a server, the event loop turns now and then.
    if (start % 100_000 === 1) await new Promise((resolve) => setTimeout(resolve));
  }
  return longest;
}

/** The cost of a page of 20 anywhere: each is asked for once, so that none can have been kept. */
async function pageCost(size: number): Promise<number> {
  const starts = sample(9000, 0, size - 21);
  const each = Math.trunc(starts.length / ROUNDS);
  const costs: number[] = [];
  // With other limits, to get the engine used to the store at its present size.
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

/** First pages, last pages and pages of the rare status; 10 pets each and, the first round aside, each page once. */
async function compareKinds(): Promise<ScaleResult["kinds"]> {
  const each = 1500;
  const kinds: ScaleResult["kinds"] = { first: [], last: [], rare: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const numbers = Array.from({ length: each }, (_, i) => BigInt(round * each + i));
    const first = await timePages(store, numbers.map((number) => ({ after: number, limit: 10 })));
    const last = await timePages(store, numbers.map((number) => ({ after: BigInt(pets - 10) - number, limit: 10 })));
    const rare = await timePages(store, numbers.map((number) => ({ after: number, limit: 10, status: "sold" })));
    if (round === 0) continue;
    kinds.first.push(first);
    kinds.last.push(last);
    kinds.rare.push(rare);
  }
  return kinds;
}

/** Microseconds a page: the median of small parts, so that a pause somewhere does not pass for the cost of its page. */
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

/** What this process has of the machine's memory, garbage aside. It contains what lies outside of the heap. */
function residentBytes(): number {
  const { gc } = globalThis as { gc?: () => void };
  for (let i = 0; i < 3; i++) gc?.();
  return process.memoryUsage().rss;
}
