import type { Pet, PetStatus } from "./pet.ts";
import type { Call } from "./call.ts";
import { linkTo } from "./link.ts";
import { parseUrl, requireKnown } from "./options.ts";
import { readPets } from "./pet_json.ts";
import type { Answer } from "./request.ts";

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

export function createPetList(call: Call, given: ListOptions): PetList {
  // The caller may change its object before the first page.
  const options = { ...given };
  async function* pages() {
    let query = queryOf(options);
    // A list has no end if its server is at fault, and its client must not read for ever. The links go in a circle if an earlier query comes
    // again. That query is replaced after 1, 2, 4, 8 … pages: so a circle of any length is found with one query in memory (Brent's algorithm).
    let earlier = query;
    let pageCount = 0;
    let replacedAt = 1;
    let firstId: bigint | undefined;
    let idlePages = 0;
    for (;;) {
      const answer = await getPets(call, query, options);
      yield answer.value;
      const next = nextQuery(answer);
      if (next === undefined) return;
      if (next === earlier) throw answer.createUnexpected(`The pages go in a circle: ${next}`);
      if (++pageCount === replacedAt) {
        earlier = next;
        replacedAt *= 2;
      }
      const id = answer.value[0]?.id ?? firstId;
      idlePages = id === firstId ? idlePages + 1 : 0;
      if (idlePages === MOST_IDLE_PAGES) throw answer.createUnexpected(`${idlePages} pages in a row had no new pet`);
      firstId = id;
      query = next;
    }
  }
  async function* pets() {
    const { signal } = options;
    for await (const page of pages()) {
      for (const pet of page) {
        signal?.throwIfAborted();
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

/** How many pages in a row may have no pet, or begin with that of the page before. A server may make new cursors without end. */
const MOST_IDLE_PAGES = 100;

export async function getPage(call: Call, options: ListOptions): Promise<PetPage> {
  const answer = await getPets(call, queryOf(options), options);
  const next = nextQuery(answer);
  const nextCursor = new URLSearchParams(next).get("cursor") ?? undefined;
  if (next !== undefined && nextCursor === undefined) {
    throw answer.createUnexpected(`The next page has no cursor: ${next}`);
  }
  return { pets: answer.value, nextCursor };
}

function getPets(call: Call, query: string, options: ListOptions): Promise<Answer<Pet[]>> {
  const { signal } = options;
  return call({ operation: "listPets", method: "GET", path: `/pets${query}`, parse: readPets, signal });
}

function queryOf(options: ListOptions): string {
  requireKnown(options, ["signal", "status", "limit", "cursor"]);
  const { limit, status, cursor } = options;
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries({ limit, status, cursor: cursor ?? undefined })) {
    if (value !== undefined) given.set(name, String(value));
  }
  return String(given) && `?${given}`;
}

/**
 * The query of the link to the next page. The rest of the link is not followed: the key goes to the base address only, and a petstore
 * behind a proxy may name its public address.
 */
function nextQuery({ headers, createUnexpected }: Answer<unknown>): string | undefined {
  const target = linkTo(headers, "next");
  if (target === undefined) return undefined;
  // The link may be relative to the list.
  const url = parseUrl(target, LIST);
  if (url && /\/pets\/?$/.test(url.pathname)) return url.search;
  throw createUnexpected(`The next page is not one of this list: ${target}`);
}

const LIST = "http://localhost/pets";
