/** Adds the pets of a case to a catalogue that may have others, and finds them there. */

import type { PetStatus } from "@petstore/petstore";
import type { Api, ApiResponse } from "./api.ts";
import * as assert from "./assert.ts";
import { idsOf, linkTo, petOf } from "./responses.ts";

/** How many pages a case reads at most. */
export const MOST_PAGES = 20;

/** How far a case looks for the end of a list, in pages of 100 pets: the list of a wrong server may have none. */
const MOST_PAGES_TO_END = 10_000;

/** How many ids are tried between two pets. No case adds more pets. */
const MOST_ADDED = 300n;

/** An id that no pet has: the ids of a petstore stay below 2^53, and no other catalogue is full. */
export const ABSENT_ID = "9223372036854775807";

/** Makes a name of letters that no pet has, because a petstore may demand unique names. */
export function newName(): string {
  const letters = crypto.randomUUID().replaceAll(/\d/g, (digit) => "ghijklmnop"[+digit]!);
  return `Rex${letters.replaceAll("-", "")}`;
}

/** Adds a pet, and returns its id. */
export async function addPet(api: Api, status: PetStatus = "available", name: string = newName()): Promise<bigint> {
  return petOf(await api.post({ name, categoryId: 7, status }), 201).id;
}

/** Adds pets with these statuses. */
export async function addPets(api: Api, statuses: readonly PetStatus[]): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (const status of statuses) ids.push(await addPet(api, status));
  return ids;
}

/** The query of a list. */
export function queryOf(limit: number, status?: PetStatus): string {
  return `?limit=${limit}${status ? `&status=${status}` : ""}`;
}

/**
 * The query of the next page, or undefined on the last one. The rest of the link is not used,
 * because that of another server must not get the key.
 */
function nextQuery(response: ApiResponse): string | undefined {
  const target = linkTo(response, "next");
  if (target === undefined) return undefined;
  const { pathname, search } = new URL(target, "http://petstore.example");
  assert.match(pathname, /\/pets$/, "A link to a next page must lead to the list");
  return search;
}

/** The pages from this query on, as far as links lead, and at most {@link MOST_PAGES}. */
export async function* pagesFrom(api: Api, query: string): AsyncGenerator<ApiResponse> {
  let next: string | undefined = query;
  for (let count = 0; next !== undefined && count < MOST_PAGES; count++) {
    const response: ApiResponse = await api.get(`/pets${next}`);
    yield response;
    next = nextQuery(response);
  }
}

/** The end of a list: a pet that was added, and after which no pet of another client follows. */
interface OpenEnd {
  /** The id of the pet. */
  first: bigint;
  /** The query of the page that begins with the pet, and has at most this many. */
  pageOf(limit: number): string;
}

/** Adds two pets, and finds the place between them, at which the list of a status, or of all, continues. */
export async function openEnd(api: Api, status?: PetStatus): Promise<OpenEnd> {
  const last = await addPet(api, status);
  let query = queryOf(100, status);
  for (let pages = 0; pages < MOST_PAGES_TO_END; pages++) {
    const page = await api.get(`/pets${query}`);
    const place = idsOf(page).indexOf(last);
    if (place >= 0) {
      const first = await addPet(api, status);
      // The page that ends with the first pet has a link to what follows it.
      const after = nextQuery(await api.get(`/pets${withLimit(query, place + 1)}`));
      assert.ok(after !== undefined, "A page has no link to the next one, which exists");
      return { first, pageOf: (limit) => withLimit(after, limit) };
    }
    const next = nextQuery(page);
    assert.ok(next !== undefined, "The list ends without the pet that was added");
    query = next;
  }
  throw new Error(`The list has no end, or more than ${MOST_PAGES_TO_END * 100} pets`);
}

function withLimit(query: string, limit: number): string {
  const parameters = new URLSearchParams(query);
  parameters.set("limit", String(limit));
  return `?${parameters}`;
}

/**
 * The ids of the pets that `run` adds, as far as they lie between those of a pet before and of one
 * after. No other client must add pets meanwhile.
 */
export async function addedBy(api: Api, run: () => Promise<void>): Promise<bigint[]> {
  const before = await addPet(api);
  await run();
  const after = await addPet(api);
  const added: bigint[] = [];
  // The ids of another petstore may lie far apart.
  for (let id = before + 1n; id < after && after - before <= MOST_ADDED; id++) {
    if ((await api.get(`/pets/${id}`)).status !== 404) added.push(id);
  }
  return added;
}

/** Sends requests that are refused, and then looks for their pets. */
export async function storesNothing(api: Api, send: () => Promise<void>): Promise<void> {
  assert.equal(await addedBy(api, send), [], "The ids of pets that were refused, and stored all the same,");
}
