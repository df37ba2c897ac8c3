/** One entry of the store contract, and what the entries share. */

import assert from "node:assert/strict";
import {
  formatPet,
  formatPets,
  type IdempotentRequest,
  type MaybePromise,
  type Pet,
  type PetDraft,
  type PetQuery,
  type PetStatus,
  type PetStore,
} from "@petstore/petstore/store";
import type { StoreGuarantee } from "../guarantees.ts";
import { INT64, NAMES, STATUSES } from "../pet_values.ts";

/** What a case needs: a member that a store need not have, or what the fixture offers. */
export type Need = OptionalMember | "restarts" | "servers" | "machines" | "crash";

type OptionalMember = { [Name in keyof PetStore]-?: undefined extends PetStore[Name] ? Name : never }[keyof PetStore];

/** What a case can do besides calling its store. */
export interface CaseContext {
  /** Opens another store in the same namespace. */
  open(): Promise<PetStore>;
  /** Opens another store in the same namespace, if several can share the pets. Otherwise returns the given one. */
  second(store: PetStore): Promise<PetStore>;
  /** Crashes the open stores. */
  crash(): Promise<void>;
}

export type RunCase = (store: PetStore, context: CaseContext) => Promise<void>;

export interface StoreCase {
  /** The rest of a sentence that starts with "a … store". */
  name: string;
  guarantee: StoreGuarantee;
  needs: readonly Need[];
  /** Gets an empty store, and rejects if the store breaks the guarantee. */
  run: RunCase;
}

/** Makes cases from functions, which are listed by name. */
export function cases(
  guarantee: StoreGuarantee,
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

export function statuses(...all: PetStatus[]): PetDraft[] {
  return all.map((status) => draft({ status }));
}

export async function addAll(store: PetStore, drafts: readonly PetDraft[]): Promise<Pet[]> {
  const pets: Pet[] = [];
  for (const draft of drafts) pets.push({ id: await store.create(draft), ...draft });
  return pets;
}

/** Adds pets at once, which is faster. Returns them in the order of their ids. */
export async function addMany(store: PetStore, drafts: readonly PetDraft[]): Promise<Pet[]> {
  const pets = await Promise.all(drafts.map(async (draft) => ({ id: await store.create(draft), ...draft })));
  return pets.sort((one, other) => one.id < other.id ? -1 : 1);
}

/** A request whose key and fingerprint are as long as real ones. */
export function request(key: string, fingerprint = "same", retentionMs = 60_000): IdempotentRequest {
  return { key: key.padEnd(22, "k"), fingerprint: fingerprint.padEnd(22, "f"), retentionMs };
}

/** Follows `next` and returns all pets. Each page must have at most `limit` pets, and each later one at least one. */
export async function walk(store: PetStore, query: Omit<PetQuery, "after">): Promise<string[]> {
  const seen: string[] = [];
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const { json, next }: { json: string; next?: bigint } = await store.list({ after, ...query });
    // No name of these cases has a brace.
    const pets = json.match(/{[^}]*}/g) ?? [];
    assert(after === 0n || pets.length > 0, `A page has next ${after}, but no pet follows it`);
    assert(pets.length <= query.limit, `${pets.length} pets on a page of ${query.limit}`);
    assert(next === undefined || next > after, `next is ${next} after ${after}`);
    seen.push(...pets);
    after = next;
  }
  return seen;
}

/** The ids on a page. */
export function idsOf(json: string): bigint[] {
  return (JSON.parse(json) as { id: number }[]).map(({ id }) => BigInt(id));
}

/** Starts work that is awaited later. Without this, a runner would report an early failure as an unhandled rejection. */
export function begin<T>(work: () => MaybePromise<T>): Promise<T> {
  const begun = (async () => await work())();
  begun.catch(() => {});
  return begun;
}

/** Lets other work run for one turn of the event loop, or for some milliseconds. */
export function pause(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export function assertAscending(ids: readonly bigint[]): void {
  assert(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id)), `The ids do not ascend: ${ids}`);
}

/** Asserts that each response of the store has these pets and no others. */
export async function assertKept(store: PetStore, pets: readonly Pet[]): Promise<void> {
  const inOrder = pets.toSorted((one, other) => one.id < other.id ? -1 : 1);
  for (const pet of inOrder) assert.equal(await store.get(pet.id), formatPet(pet));
  for (const status of [undefined, ...STATUSES]) {
    const wanted = inOrder.filter((pet) => status === undefined || pet.status === status);
    const { json } = await store.list({ after: 0n, limit: 100, status });
    assert.equal(json, formatPets(wanted.slice(0, 100)), `The list of ${status ?? "all"} pets is wrong`);
    if (wanted.length > 100) assert.deepEqual(await walk(store, { limit: 100, status }), wanted.map(formatPet));
  }
}
