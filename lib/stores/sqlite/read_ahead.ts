/**
 * Reads the next page in advance, while the client handles the current one.
 *
 * Measured over HTTP with one JavaScript client: a page of 20 pets takes 88 µs instead of 136 µs, and one of 100 takes
 * 126 µs instead of 202 µs, for the same CPU time. A client as fast as wrk gains nothing.
 */

import type { PetPage, PetQuery } from "../store.ts";

/** How many walks are tracked at a time. The oldest is dropped first. */
const MAX_WALKS = 64;

/** Lists pages. A client walks if it requests the page after one that it received. */
export class ReadAhead {
  readonly #read: (query: PetQuery) => PetPage;
  /** The queries that would continue a walk, with the pages that have already been read. */
  readonly #expected = new Map<string, PetPage | undefined>();
  #alterations = -1;

  constructor(read: (query: PetQuery) => PetPage) {
    this.#read = read;
  }

  /** @param alterations The store's counter. When it changes, the pages that were read ahead are dropped. */
  list(query: PetQuery, alterations: number): PetPage {
    if (alterations !== this.#alterations) this.#expected.clear();
    this.#alterations = alterations;
    const key = keyOf(query);
    const isWalk = this.#expected.has(key);
    const page = this.#expected.get(key) ?? this.#read(query);
    this.#expected.delete(key);
    if (page.next !== undefined) this.#expect({ ...query, after: page.next }, isWalk);
    return page;
  }

  #expect(query: PetQuery, isWalk: boolean): void {
    const key = keyOf(query);
    this.#expected.set(key, undefined);
    if (this.#expected.size > MAX_WALKS) this.#expected.delete(this.#expected.keys().next().value!);
    if (isWalk) setImmediate(() => this.#readAhead(key, query));
  }

  #readAhead(key: string, query: PetQuery): void {
    if (!this.#expected.has(key)) return;
    try {
      const page = this.#read(query);
      // The last page is not kept, because each create may extend it.
      if (page.next !== undefined) this.#expected.set(key, page);
    } catch {
      // The client's own request will fail and report it.
    }
  }
}

function keyOf({ after, limit, status }: PetQuery): string {
  return `${after},${limit},${status}`;
}
