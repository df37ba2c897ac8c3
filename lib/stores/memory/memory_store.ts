/** Pets in memory: the default store, gone with the process. */

import type { PetStatus } from "../../pet.ts";
import { IdList } from "./id_list.ts";
import { PackedPets } from "./packed_pets.ts";
import type {
  IdempotentOutcome,
  IdempotentRequest,
  PetDraft,
  PetPage,
  PetQuery,
  PetStore,
  StoreChanges,
} from "../store.ts";

/**
 * Makes an empty store that keeps pets in this process's memory. It answers at once and is never unavailable.
 *
 * @returns A {@link PetStore}; what it keeps is gone when nothing refers to it any more.
 */
export function createMemoryStore(): PetStore {
  return new MemoryStore();
}

class MemoryStore implements PetStore {
  /** The pet with id n is number n − 1. */
  readonly #pets = new PackedPets();
  /** The ids of each status, so that a rare status costs no more than a common one. */
  readonly #ids: Record<PetStatus, IdList> = { available: new IdList(), pending: new IdList(), sold: new IdList() };
  /** Requests that are remembered, by their key, in the order in which they came. */
  readonly #requests = new Map<string, { id: number; fingerprint: string; expires: number }>();
  readonly #changes: StoreChanges = { additions: 0, alterations: 0 };

  create(pet: PetDraft): bigint {
    // The part that can refuse a pet comes first: nothing must be left behind of one that is refused.
    this.#pets.append(pet);
    const id = this.#pets.count;
    this.#ids[pet.status].push(id);
    this.#changes.additions = id;
    return BigInt(id);
  }

  createOnce(pet: PetDraft, { key, fingerprint, retentionMs }: IdempotentRequest): IdempotentOutcome {
    const now = Date.now();
    const known = this.#requests.get(key);
    if (known && known.expires > now) {
      return known.fingerprint === fingerprint ? { outcome: "replayed", id: BigInt(known.id) } : { outcome: "reused" };
    }
    const id = this.create(pet);
    this.#requests.delete(key);
    this.#forget(now);
    this.#requests.set(key, { id: Number(id), fingerprint, expires: now + retentionMs });
    return { outcome: "created", id };
  }

  /** Forgets two requests that have expired, if there are such: so there are never many. */
  #forget(now: number): void {
    let count = 0;
    for (const [key, { expires }] of this.#requests) {
      if (expires > now || count++ === 2) return;
      this.#requests.delete(key);
    }
  }

  get(id: bigint): string | undefined {
    return id > 0n && id <= BigInt(this.#pets.count) ? this.#pets.format(Number(id) - 1) : undefined;
  }

  list({ after, limit, status }: PetQuery): PetPage {
    const start = after > 0n ? Number(after) : 0;
    return status === undefined ? this.#listAll(start, limit) : this.#listStatus(start, limit, this.#ids[status]);
  }

  #listAll(start: number, limit: number): PetPage {
    const { count } = this.#pets;
    const end = Math.min(start + limit, count);
    const json = this.#pets.formatArray(Math.max(end - start, 0), (i) => start + i);
    return end < count ? { json, next: BigInt(end) } : { json };
  }

  #listStatus(after: number, limit: number, ids: IdList): PetPage {
    const start = ids.firstAbove(after);
    const end = Math.min(start + limit, ids.length);
    const json = this.#pets.formatArray(end - start, (i) => ids.at(start + i) - 1);
    return end < ids.length ? { json, next: BigInt(ids.at(end - 1)) } : { json };
  }

  changes(): StoreChanges {
    return this.#changes;
  }

  check(): void {}

  close(): void {}
}
