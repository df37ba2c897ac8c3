import assert from "node:assert/strict";
import type { Pet, PetDraft, PetQuery, PetStatus, PetStore } from "../../../mod.ts";

/** By the rest of a sentence that starts with "a … store". Each gets an empty store and rejects if it is wrong. */
export type StoreCases = Readonly<Record<string, (store: PetStore) => Promise<void>>>;

export const INT64_MAX = 2n ** 63n - 1n;
export const INT64_MIN = -(2n ** 63n);

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

/** Follows `next` and returns all pets. Each page must have at least one pet and at most `limit`. */
export async function walk(store: PetStore, query: Omit<PetQuery, "after">): Promise<string[]> {
  const seen: string[] = [];
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const { json, next }: { json: string; next?: bigint } = await store.list({ after, ...query });
    const pets = splitPets(json);
    assert(pets.length > 0 && pets.length <= query.limit, `${pets.length} pets on a page`);
    assert(next === undefined || next > after, `next is ${next} after ${after}`);
    seen.push(...pets);
    after = next;
  }
  return seen;
}

/** The JSON of each pet in a list. No name may contain a brace. */
export function splitPets(json: string): string[] {
  return json.match(/{[^}]*}/g) ?? [];
}

export function assertAscending(ids: readonly bigint[]): void {
  assert(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id)), `not ascending: ${ids}`);
}
