import type { Call } from "./call.ts";
import { requireKnown } from "./options.ts";
import { type Pet, type PetStatus, readPets } from "./pet.ts";
import { type Answer, unexpected } from "./request.ts";
import { linkTo } from "./response_fields.ts";

/** The options of every call. */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Which pets are listed. */
export interface ListOptions extends CallOptions {
  /** The status of the pets that are listed. Default: any. */
  status?: PetStatus | undefined;
  /** Pets in one response, from 1 to 100. Default: the server's 20. */
  limit?: number | undefined;
  /** The `nextCursor` of the page before. Default: the first page. */
  cursor?: string | null | undefined;
}

/** One page of a list. */
export interface PetPage {
  /** The pets, in the order of the server. */
  pets: Pet[];
  /** The `cursor` of the next page; `undefined` after the last one. */
  nextCursor: string | undefined;
}

/** All pets of a list, in order. Each iteration begins anew. */
export interface PetList extends AsyncIterable<Pet> {
  /** The same pets in pages, as they arrive. */
  pages(): AsyncGenerator<Pet[], void, void>;
  /** Collects all pets of the list in an array. */
  toArray(): Promise<Pet[]>;
}

export function createPetList(call: Call, options: ListOptions): PetList {
  async function* pages() {
    const requireProgress = createProgressCheck();
    let query: string | undefined = queryOf(options);
    while (query !== undefined) {
      const answer: Answer<Pet[]> = await getPets(call, query, options);
      yield answer.value;
      query = nextQuery(answer);
      if (query !== undefined) requireProgress(answer);
    }
  }

  async function* pets() {
    for await (const page of pages()) {
      for (const pet of page) {
        options.signal?.throwIfAborted();
        yield pet;
      }
    }
  }

  async function toArray() {
    const all: Pet[] = [];
    for await (const pet of pets()) all.push(pet);
    return all;
  }

  return { pages, toArray, [Symbol.asyncIterator]: pets };
}

export async function getPage(call: Call, options: ListOptions): Promise<PetPage> {
  const answer = await getPets(call, queryOf(options), options);
  const next = nextQuery(answer);
  const nextCursor = next === undefined ? undefined : new URLSearchParams(next).get("cursor");
  if (nextCursor === null) throw unexpected("The link to the next page has no cursor", answer.facts);
  return { pets: answer.value, nextCursor };
}

function getPets(call: Call, query: string, options: ListOptions): Promise<Answer<Pet[]>> {
  const { signal } = options;
  return call({ operation: "listPets", method: "GET", path: `/pets${query}`, parse: readPets, signal });
}

function queryOf(options: ListOptions): string {
  requireKnown(options, ["signal", "status", "limit", "cursor"]);
  const { limit, status, cursor } = options;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ limit, status, cursor })) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const query = String(parameters);
  return query === "" ? "" : `?${query}`;
}

/**
 * The query of the link to the next page; undefined on the last page. The rest of the link is not
 * followed: the key goes to the base address only, and a petstore behind a proxy may name its
 * public address.
 */
function nextQuery({ headers, facts }: Answer<unknown>): string | undefined {
  const target = linkTo(headers, "next");
  if (target === undefined) return undefined;
  // The link may be relative to the list, with or without its name.
  const [, query] = /^(?:(?:.*\/)?pets\/?)?(\?.*)$/.exec(target) ?? [];
  if (query !== undefined) return query;
  throw unexpected("The link to the next page does not lead to a page of this list", facts);
}

/** A server may lead in a circle, or make new cursors without end. A list fails after so many pages without a new pet. */
const MOST_PAGES_WITHOUT_NEW_PET = 100;

/**
 * Makes a function that is told of each page with a next one. It throws a `PetstoreError` when the
 * pages have no end, because a server is at fault and its client must not read for ever.
 *
 * A page has a new pet if its first pet has not been the first of an earlier page.
 */
function createProgressCheck() {
  const firstIds = new Set<bigint>();
  let pagesWithoutNewPet = 0;
  return ({ value: pets, facts }: Answer<Pet[]>): void => {
    const firstId = pets[0]?.id;
    if (firstId !== undefined && !firstIds.has(firstId)) {
      firstIds.add(firstId);
      pagesWithoutNewPet = 0;
      return;
    }
    pagesWithoutNewPet++;
    if (pagesWithoutNewPet === MOST_PAGES_WITHOUT_NEW_PET) {
      throw unexpected(`${MOST_PAGES_WITHOUT_NEW_PET} pages in a row had no new pet`, facts);
    }
  };
}
