/** Pets in memory: the default store, gone with the process. */

import { formatPet, type PetStatus } from "../pet.ts";
import type { PetDraft, PetPage, PetQuery, PetStore } from "./store.ts";

/**
 * Makes an empty store that keeps pets in this process's memory. It answers at once and is never unavailable.
 *
 * @returns A {@link PetStore}; what it keeps is gone when nothing refers to it any more.
 */
export function createMemoryStore(): PetStore {
  return new MemoryStore();
}

class MemoryStore implements PetStore {
  /** The pet with id n is at index n − 1, already as the text that is served. */
  readonly #texts: string[] = [];
  /** The ids of each status, ascending, so that a rare status costs no more than a common one. */
  readonly #ids: Record<PetStatus, number[]> = { available: [], pending: [], sold: [] };

  create(pet: PetDraft): bigint {
    const number = this.#texts.length + 1;
    const id = BigInt(number);
    const text = formatPet({ id, name: pet.name, categoryId: pet.categoryId, status: pet.status });
    // What can throw comes first: a pet that is refused must leave nothing behind.
    this.#ids[pet.status].push(number);
    this.#texts.push(text);
    return id;
  }

  get(id: bigint): string | undefined {
    return id > 0n ? this.#texts[Number(id) - 1] : undefined;
  }

  list({ after, limit, status }: PetQuery): PetPage {
    return status === undefined ? this.#listAll(after, limit) : this.#listStatus(after, limit, this.#ids[status]);
  }

  #listAll(after: bigint, limit: number): PetPage {
    const start = after > 0n ? Number(after) : 0;
    const end = start + limit;
    const json = `[${this.#texts.slice(start, end).join(",")}]`;
    return end < this.#texts.length ? { json, next: BigInt(end) } : { json };
  }

  #listStatus(after: bigint, limit: number, ids: readonly number[]): PetPage {
    const start = firstAbove(ids, Number(after));
    const page = ids.slice(start, start + limit);
    const json = `[${page.map((id) => this.#texts[id - 1]).join(",")}]`;
    const last = page.at(-1);
    return last !== undefined && start + limit < ids.length ? { json, next: BigInt(last) } : { json };
  }

  check(): void {}

  close(): void {}
}

/** The index of the first id greater than `after`, by bisection. */
function firstAbove(ids: readonly number[], after: number): number {
  let low = 0, high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
