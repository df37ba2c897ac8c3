import { formatPet, PET_STATUSES } from "../../pet.ts";
import type {
  IdempotentOutcome,
  IdempotentRequest,
  KeyedPetStore,
  PetDraft,
  PetPage,
  PetQuery,
  PetStore,
  StoreChanges,
} from "../store.ts";
import type { KeyStore } from "../key_store.ts";
import { statusCode } from "../status_code.ts";
import { MemoryKeys } from "./memory_keys.ts";
import { PetList } from "./pet_list.ts";

/**
 * Creates an empty store, the default, which keeps pets in the memory of this process. They are lost when the process ends.
 * The store is never unavailable, and its methods return their results without a promise.
 */
export function createMemoryStore(): KeyedPetStore {
  return new KeyedMemoryStore();
}

/** Without API keys, for a petstore that creates its store itself: no other code could manage them. */
export class MemoryStore implements PetStore {
  readonly #pets = new PetList();
  /** By status code. Each pet is here too, so that a page of a rare status costs no more than one of a common status. */
  readonly #petsOfStatus = PET_STATUSES.map(() => new PetList());
  #lastId = 0;
  /** Remembered requests by key, in order of arrival. */
  readonly #requests = new Map<string, { id: bigint; fingerprint: string; expires: number }>();
  readonly #changes: StoreChanges = { additions: 0, alterations: 0 };

  create(pet: PetDraft): bigint {
    const ofStatus = this.#ofStatus(pet);
    const id = BigInt(this.#lastId + 1);
    // V8 keeps a concatenated string as a tree of its parts, in three times the memory, until it is read. trim() reads it.
    const text = formatPet({ ...pet, id }).trim();
    this.#lastId++;
    this.#pets.add(this.#lastId, text);
    ofStatus.add(this.#lastId, text);
    this.#changes.additions++;
    return id;
  }

  createOnce(pet: PetDraft, { key, fingerprint, retentionMs }: IdempotentRequest): IdempotentOutcome {
    const now = Date.now();
    const known = this.#requests.get(key);
    if (known && known.expires > now) {
      return known.fingerprint === fingerprint ? { outcome: "replayed", id: known.id } : { outcome: "reused" };
    }
    const id = this.create(pet);
    this.#requests.delete(key);
    this.#deleteExpired(now);
    this.#requests.set(key, { id, fingerprint, expires: now + retentionMs });
    return { outcome: "created", id };
  }

  /** Deletes up to two expired requests. Each create adds at most one, so the backlog shrinks. */
  #deleteExpired(now: number): void {
    let count = 0;
    for (const [key, { expires }] of this.#requests) {
      if (expires > now || count++ === 2) return;
      this.#requests.delete(key);
    }
  }

  get(id: bigint): string | undefined {
    return this.#pets.get(Number(id));
  }

  list({ after, limit, status }: PetQuery): PetPage {
    const pets = status === undefined ? this.#pets : this.#ofStatus({ status });
    return pets.page(Number(after), limit);
  }

  #ofStatus({ status }: Pick<PetDraft, "status">): PetList {
    return this.#petsOfStatus[statusCode(status)]!;
  }

  changes(): StoreChanges {
    return this.#changes;
  }

  check(): void {}

  close(): void {}
}

class KeyedMemoryStore extends MemoryStore implements KeyedPetStore {
  readonly keys: KeyStore = new MemoryKeys();

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
