import type { Pet, PetStatus } from "./pet.ts";
import type { Call } from "./call.ts";
import { linkTo } from "./link.ts";
import { parseUrl, requireKnown } from "./options.ts";
import { readPets } from "./pet_json.ts";
import { type Answer, unexpected } from "./request.ts";

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
    let query: string | undefined = queryOf(options);
    let lastId = 0n;
    while (query !== undefined) {
      const answer: Answer<Pet[]> = await getPets(call, query, options);
      // The app may alter its page.
      const id = answer.value.at(-1)?.id ?? 0n;
      yield answer.value;
      query = nextQuery(answer);
      // A list is in the order of id, from 1 on. Without this check, the links of a server at fault could lead in a circle for ever.
      if (query !== undefined && id <= lastId) {
        throw unexpected("A page with a link to the next one adds no pet after those before it", answer.facts);
      }
      lastId = id;
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
  if (next === undefined) return { pets: answer.value, nextCursor: undefined };
  const nextCursor = new URLSearchParams(next).get("cursor");
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
  if (limit !== undefined) parameters.set("limit", String(limit));
  if (status !== undefined) parameters.set("status", status);
  if (cursor !== undefined && cursor !== null) parameters.set("cursor", cursor);
  const query = String(parameters);
  return query === "" ? "" : `?${query}`;
}

/**
 * The query of the link to the next page; undefined on the last page. The rest of the link is not followed: the key goes to the base
 * address only, and a petstore behind a proxy may name its public address.
 */
function nextQuery({ headers, facts }: Answer<unknown>): string | undefined {
  const target = linkTo(headers, "next");
  if (target === undefined) return undefined;
  // The link may be relative to the list.
  const url = parseUrl(target, "http://localhost/pets");
  if (url && /\/pets\/?$/.test(url.pathname)) return url.search;
  throw unexpected("The link to the next page does not lead to a page of this list", facts);
}
