/** The pages of a list. */

import type { Pet, PetStatus } from "../pet.ts";
import { withoutPrototype } from "../without_prototype.ts";
import type { Call } from "./call.ts";
import { linkTo } from "./link.ts";
import { parseUrl } from "./options.ts";
import { readPets } from "./pet_json.ts";
import type { Answer } from "./request.ts";

/** The options of every call. */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Which pets are listed. */
export interface ListOptions extends CallOptions {
  /** Only pets with this status. */
  status?: PetStatus | undefined;
  /** Pets in one response, from 1 to 100, not in all. Default: the server's 20. */
  limit?: number | undefined;
}

/** All pets of a list, in the order of the server. The next page is fetched when it is needed. Each iteration begins anew. */
export interface PetList extends AsyncIterable<Pet> {
  /** The same pets, as they arrive. */
  pages(): AsyncGenerator<Pet[], void, void>;
}

export function createPetList(call: Call, options: ListOptions): PetList {
  const { signal, status, limit } = withoutPrototype(options);
  async function* pages() {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries({ limit, status })) {
      if (value !== undefined) given.set(name, String(value));
    }
    let query = String(given) && `?${given}`;
    // Brent's algorithm: finds a circle of any length, and remembers one page.
    let seen = query, untilRenewal = 1;
    for (let count = 1;; count++) {
      const answer = await call({ operation: "listPets", path: `/pets${query}`, read: readPets, signal });
      yield answer.value;
      const next = nextQuery(answer);
      if (next === undefined) return;
      if (next === seen) throw answer.refuse(`The pages of the list go in a circle: ${next}`);
      if (count === untilRenewal) {
        seen = next;
        untilRenewal *= 2;
      }
      query = next;
    }
  }
  async function* pets() {
    for await (const page of pages()) {
      for (const pet of page) {
        signal?.throwIfAborted();
        yield pet;
      }
    }
  }
  return { pages, [Symbol.asyncIterator]: pets };
}

/**
 * The query of the next page. Of its link, only this is used: so the key goes to the base address alone, whatever the link says,
 * and a petstore behind a proxy may name its public address.
 */
function nextQuery({ headers, refuse }: Answer<unknown>): string | undefined {
  const target = linkTo(headers, "next");
  if (target === undefined) return undefined;
  // The link may be relative to the list.
  const url = parseUrl(target, LIST);
  if (url && /\/pets\/?$/.test(url.pathname)) return url.search;
  throw refuse(`The next page is not one of this list: ${target}`);
}

const LIST = "http://localhost/pets";
