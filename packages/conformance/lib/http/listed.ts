/**
 * Compares lists with the pets that were created: a list must show all of them, each once, as they are under their ids.
 */

import type { PetStatus } from "@petstore/petstore/store";
import type { Api } from "./api.ts";
import { assert } from "./assert.ts";
import { pagesFrom } from "./catalogue.ts";
import { type ExactPet, ODD_NAME, petsOf } from "./exact.ts";
import { STATUSES } from "../pet_values.ts";

/** A pet that was created, as it was sent. */
export type Created = ExactPet;

/** How often a list is read again, and the pause before, because a list may show a pet some time after it was added. */
const TRIES = 20, PAUSE_MS = 100;

const MOST_PAGES = 20;

/** A response need not show a status, and a pet that was sent without one may have any. */
export function assertSame(shown: ExactPet, { id, name, categoryId, status }: Created, where: string): void {
  const both = status === undefined || shown.status === undefined ? {} : { status };
  const seen = {
    id: shown.id,
    name: shown.name,
    categoryId: shown.categoryId,
    ...both.status && { status: shown.status },
  };
  assert.deepEqual(seen, { id, name, categoryId, ...both }, `The pet ${id} ${where}, and as it was created`);
}

/** A list as it was read: its first page of 100, and all pages as far as links lead. */
interface Listed {
  first: ExactPet[];
  all: ExactPet[];
  /** Whether `all` is the whole list. */
  isComplete: boolean;
}

async function listAll(api: Api, query: string): Promise<Listed> {
  const pages: ExactPet[][] = [];
  for await (const response of pagesFrom(api, query, MOST_PAGES)) pages.push(petsOf(response));
  const all = pages.flat();
  return { first: pages[0]!, all, isComplete: pages.length < MOST_PAGES && (pages.length > 1 || all.length < 100) };
}

/** Throws if a list shows a pet twice, or otherwise than it was created, or than another list has shown it. */
export function assertEach(
  pets: readonly ExactPet[],
  created: readonly Created[],
  query: string,
  known: readonly ExactPet[] = [],
): void {
  const byId = new Map(pets.map((pet) => [pet.id, pet]));
  assert.equal(byId.size, pets.length, `The list ${query} has pets twice; the number of its ids`);
  for (const pet of [...known, ...created]) {
    const shown = byId.get(pet.id);
    if (shown) assertSame(shown, pet, `in the list ${query}`);
  }
  // Another name may be that of several pets.
  for (const { id, name } of created.filter(({ name }) => name.includes(ODD_NAME))) {
    const other = pets.find((pet) => pet.name === name && pet.id !== id);
    assert.ok(other === undefined, `The list ${query} has the pet ${id} once more, with the id ${other?.id}`);
  }
}

/** Reads the list of a status, or of all, until it has all of the created pets. */
async function listCreated(api: Api, created: readonly Created[], status: PetStatus | undefined): Promise<Listed> {
  const query = `?limit=100${status ? `&status=${status}` : ""}`;
  for (let tries = 1;; tries++) {
    const listed = await listAll(api, query);
    assertEach(listed.all, created, query);
    const ids = new Set(listed.all.map(({ id }) => id));
    const other = created.find((pet) => status !== undefined && (pet.status ?? status) !== status && ids.has(pet.id));
    assert.ok(other === undefined, `The list ${query} has the pet ${other?.id}, which is ${other?.status}`);
    const wanted = created.filter((pet) => status === undefined || pet.status === status);
    const missing = listed.isComplete ? wanted.find(({ id }) => !ids.has(id)) : undefined;
    if (missing === undefined) return listed;
    assert.ok(tries < TRIES, `The list ${query} has ${ids.size} pets, but not the one with the id ${missing.id}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/**
 * Makes queries with the limits at which servers are wrong, each with a status and without one, and without a limit.
 */
export function someQueries({ random }: Api): { limit: number; status: PetStatus | undefined; query: string }[] {
  const limits = [1, 2, 3, 10, 19, 20, 21, 50, 60, 99, 100, 1 + random.below(100), 1 + random.below(30)];
  const given = limits.flatMap((limit) =>
    [undefined, random.pick(STATUSES)].map((status) => ({ limit, status, parts: [`limit=${limit}`] }))
  );
  const byDefault = [undefined, ...STATUSES].map((status) => ({ limit: 20, status, parts: [] }));
  return random.shuffle([...given, ...byDefault]).map(({ limit, status, parts }) => {
    const query = random.shuffle([...parts, ...status ? [`status=${status}`] : []]).join("&");
    return { limit, status, query: query && `?${query}` };
  });
}

/** Throws unless each list has what it must. */
export async function assertListed(api: Api, created: readonly Created[]): Promise<void> {
  const lists = new Map<PetStatus | undefined, Listed>();
  for (const status of [undefined, ...STATUSES]) lists.set(status, await listCreated(api, created, status));
  const whole = lists.get(undefined)!;
  for (const { limit, status, query } of someQueries(api)) {
    const pets = petsOf(await api.get(`/pets${query}`));
    assertEach(pets, created, query, whole.isComplete ? whole.all : []);
    const least = Math.min(limit, lists.get(status)!.first.length);
    const isRight = pets.length >= least && pets.length <= limit;
    assert.ok(isRight, `The list ${query || "without a query"} has ${pets.length} pets, which should be ${least}`);
    const other = status && pets.find((pet) => (pet.status ?? status) !== status);
    assert.ok(!other, `The list ${query} has a pet that is ${other && other.status}`);
  }
}
