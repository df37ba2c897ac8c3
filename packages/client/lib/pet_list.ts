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
    const guard = new EndlessListGuard(query);
    for (;;) {
      const answer = await getPets(call, query, options);
      yield answer.value;
      const next = nextQuery(answer);
      if (next === undefined) return;
      const fault = guard.check(next, answer.value[0]?.id);
      if (fault !== undefined) throw answer.createUnexpected(fault);
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
    // A page of another server may be too long for arguments.
    for await (const page of pages()) for (const pet of page) all.push(pet);
    return all;
  }
  return { pages, toArray, [Symbol.asyncIterator]: pets };
}

/** How many pages in a row may begin with the pet of the page before, or have none. */
const MOST_IDLE_PAGES = 100;

/** Notices a list that has no end because its server is at fault, so that its client does not read for ever. */
class EndlessListGuard {
  /** The query of an earlier page. The links go in a circle if it comes again. */
  #seenQuery: string;
  /**
   * The query is replaced after 1, 2, 4, 8 … pages. In this way a circle of any length is found with one query in memory (Brent's
   * algorithm).
   */
  #pagesUntilReplaced = 1;
  #pagesSinceReplaced = 0;
  /** The first pet of the last page that had one. A server may make new cursors without end, though it has no new pets. */
  #firstId: bigint | undefined;
  #idlePages = 0;

  constructor(firstQuery: string) {
    this.#seenQuery = firstQuery;
  }

  /**
   * Looks at a page before the next one is asked for.
   *
   * @param next The query of the next page.
   * @param firstId The id of the first pet on this page, if it has one.
   * @returns The fault of the server, if there is one.
   */
  check(next: string, firstId: bigint | undefined): string | undefined {
    if (next === this.#seenQuery) return `The pages go in a circle: ${next}`;
    if (++this.#pagesSinceReplaced === this.#pagesUntilReplaced) {
      this.#seenQuery = next;
      this.#pagesUntilReplaced *= 2;
      this.#pagesSinceReplaced = 0;
    }
    const isIdle = firstId === undefined || firstId === this.#firstId;
    this.#idlePages = isIdle ? this.#idlePages + 1 : 0;
    this.#firstId = firstId ?? this.#firstId;
    return this.#idlePages >= MOST_IDLE_PAGES ? `${MOST_IDLE_PAGES} pages in a row brought no new pet` : undefined;
  }
}

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
