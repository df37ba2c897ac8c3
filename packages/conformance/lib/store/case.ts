/** One entry of the store contract, and what the entries share. */

import assert from "node:assert/strict";
import {
  formatPet,
  type IdempotentRequest,
  type Pet,
  type PetDraft,
  type PetPage,
  type PetQuery,
  type PetStore,
} from "@petstore/petstore/store";
import { INT64, NAMES, STATUSES } from "../pet_values.ts";

/** The members that a store need not have. */
export const OPTIONAL_MEMBERS = ["createOnce", "changes", "checkWrites", "keys"] as const;

/** What a case needs: a member that a store need not have, or what the fixture offers. */
export type Need = typeof OPTIONAL_MEMBERS[number] | "restarts" | "machines" | "crash";

/** What a case can do besides calling its store. */
export interface CaseContext {
  /** Opens another store in the same namespace. */
  open(): Promise<PetStore>;
  /** Opens another store in the same namespace, if several can share the pets. Otherwise returns the given one. */
  second(store: PetStore): Promise<PetStore>;
  /** Crashes the open stores. */
  crash(): Promise<void>;
}

type RunCase = (store: PetStore, context: CaseContext) => Promise<void>;

export interface StoreCase {
  /** The rest of a sentence that starts with "a … store". */
  name: string;
  guarantee: string;
  needs: readonly Need[];
  /** Gets an empty store, and rejects if the store breaks the guarantee. */
  run: RunCase;
}

/** Makes cases from functions, which are listed by name. */
export function cases(
  guarantee: string,
  runs: Record<string, RunCase>,
  needs: readonly Need[] = [],
): StoreCase[] {
  return Object.entries(runs).map(([name, run]) => ({ name, guarantee, needs, run }));
}

/** Pets that a faulty copy would change. */
export const ODD_PETS: readonly PetDraft[] = NAMES.map((name, i) => ({
  name,
  categoryId: INT64[i % INT64.length]!,
  status: STATUSES[i % 3]!,
}));

export function draft(parts: Partial<PetDraft> = {}): PetDraft {
  return { name: "Rex", categoryId: 7n, status: "available", ...parts };
}

/** A pet that no store may accept. */
export const REFUSED = { ...draft(), status: "lost" } as unknown as PetDraft;

/** Adds pets at once. Returns them in the order of their ids. */
export async function addAll(store: PetStore, drafts: readonly PetDraft[]): Promise<Pet[]> {
  const pets = await Promise.all(drafts.map(async (draft) => ({ id: await store.create(draft), ...draft })));
  return pets.sort((one, other) => one.id < other.id ? -1 : 1);
}

/** A request whose key and fingerprint are as long as real ones. */
export function request(key: string, fingerprint = "same", retentionMs = 60_000): IdempotentRequest {
  return { key: key.padEnd(22, "k"), fingerprint: fingerprint.padEnd(22, "f"), retentionMs };
}

/** The outcome of a create with a request. It has an id unless it is a conflict. */
export async function createOnce(
  store: PetStore,
  pet: PetDraft,
  request: IdempotentRequest,
): Promise<{ outcome: string; id?: bigint }> {
  return await store.createOnce!(pet, request);
}

/** Follows `next` and returns all pets. A page that has `next` must be full, and the next page must have a pet. */
export async function walk(store: PetStore, query: Omit<PetQuery, "after">): Promise<string[]> {
  const seen: string[] = [];
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const { json, next }: PetPage = await store.list({ after, ...query });
    // No name of these cases has a brace.
    const pets = json.match(/{[^}]*}/g) ?? [];
    assert.equal(json, `[${pets}]`);
    assert(after === 0n || pets.length > 0, `A page has next ${after}, but no pet follows it`);
    assert(pets.length <= query.limit, `${pets.length} pets on a page of ${query.limit}`);
    assert(next === undefined || next > after, `next is ${next} after ${after}`);
    if (next !== undefined) assert.deepEqual([pets.length, next], [query.limit, idsOf(json).at(-1)]);
    seen.push(...pets);
    after = next;
  }
  return seen;
}

/** The ids on a page. */
export function idsOf(json: string): bigint[] {
  return (JSON.parse(json) as { id: number }[]).map(({ id }) => BigInt(id));
}

/** Lets other work run for one turn of the event loop, or for some milliseconds. */
export function pause(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Runs `work` with a `Date.now()` that is `ahead` milliseconds fast, as on a server whose clock is
 * wrong. Timers and `new Date()` stay right.
 */
export async function withClock<T>(ahead: number, work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() + ahead;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

/**
 * Asserts that each response of the store has these pets and no others, in this order, in pages of
 * each of these lengths.
 */
export async function assertKept(
  store: PetStore,
  pets: readonly Pet[],
  limits: readonly number[] = [100],
): Promise<void> {
  for (const pet of pets) assert.equal(await store.get(pet.id), formatPet(pet));
  for (const status of [undefined, ...STATUSES]) {
    const wanted = pets.filter((pet) => status === undefined || pet.status === status).map(formatPet);
    for (const limit of limits) assert.deepEqual(await walk(store, { limit, status }), wanted);
  }
}
