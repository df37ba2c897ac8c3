/** Pages that are read before they are asked for, as an operating system reads ahead in a file. */

import type { PetPage, PetQuery } from "../store.ts";

/** Walks that are followed at once; of more, those that rested longest are forgotten. */
const MAX_WALKS = 64;

/**
 * Reads the next page of a walk while the client is busy with this one. A client walks if it asks for the page that
 * follows one it has been given; whoever stops after a page costs nothing.
 */
export class ReadAhead {
  readonly #read: (query: PetQuery) => PetPage;
  readonly #later: (work: () => void) => void;
  /** By what would be asked next: that page, once it has been read. */
  readonly #walks = new Map<string, PetPage | undefined>();
  #version: unknown;

  /**
   * @param read Reads a page now.
   * @param later Calls back when what has been answered is on its way.
   */
  constructor(read: (query: PetQuery) => PetPage, later: (work: () => void) => void) {
    this.#read = read;
    this.#later = later;
  }

  /**
   * One page of the list.
   *
   * @param version Another value whenever a page that has a next one may have changed.
   */
  list(query: PetQuery, version: unknown): PetPage {
    if (version !== this.#version) {
      this.#version = version;
      this.#walks.clear();
    }
    const key = keyOf(query);
    const isWalk = this.#walks.has(key);
    const page = this.#walks.get(key) ?? this.#read(query);
    this.#walks.delete(key);
    if (page.next !== undefined) this.#expect({ ...query, after: page.next }, isWalk);
    return page;
  }

  #expect(query: PetQuery, isWalk: boolean): void {
    const key = keyOf(query);
    this.#walks.set(key, undefined);
    if (this.#walks.size > MAX_WALKS) this.#walks.delete(this.#walks.keys().next().value!);
    if (!isWalk) return;
    const version = this.#version;
    this.#later(() => {
      if (this.#version !== version || !this.#walks.has(key)) return;
      const page = this.#read(query);
      // The last page may grow with every create, so it is not kept.
      if (page.next !== undefined) this.#walks.set(key, page);
    });
  }
}

function keyOf({ after, limit, status }: PetQuery): string {
  return `${after},${limit},${status}`;
}
