import type { PetStatus } from "../../pet.ts";
import type {
  IdempotentOutcome,
  IdempotentRequest,
  KeyedPetStore,
  PetDraft,
  PetPage,
  PetQuery,
  StoreChanges,
} from "../store.ts";
import type { KeyStore } from "../key_store.ts";
import { IdList } from "./id_list.ts";
import { MemoryKeys } from "./memory_keys.ts";
import { PackedPets } from "./packed_pets.ts";

/**
 * Creates an empty store, the default, which keeps pets in the memory of this process. They are lost when the process ends.
 * The store is never unavailable, and its methods return their results without a promise.
 */
export function createMemoryStore(): KeyedPetStore {
  return new MemoryStore();
}

class MemoryStore implements KeyedPetStore {
  readonly keys: KeyStore = new MemoryKeys();
  /** The pet with the id n has the index n − 1. */
  readonly #pets = new PackedPets();
  /** The ids of each status, so that a rare status costs no more than a common one. */
  readonly #ids: Record<PetStatus, IdList> = { available: new IdList(), pending: new IdList(), sold: new IdList() };
  /** Remembered requests by key, in order of arrival. */
  readonly #requests = new Map<string, { id: number; fingerprint: string; expires: number }>();
  readonly #changes: StoreChanges = { additions: 0, alterations: 0 };

  create(pet: PetDraft): bigint {
    // First, because it throws if the pet is invalid, and then nothing may have changed.
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

  /** Deletes up to two expired requests. Each create adds at most one, so the backlog shrinks. */
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
