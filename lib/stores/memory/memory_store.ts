import { formatPetWithId, PET_STATUSES, type PetStatus } from "../../pet.ts";
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
import { statusCode } from "../status_code.ts";
import { recall } from "../write.ts";
import { MemoryKeys } from "./memory_keys.ts";

/** A store in memory, which can be emptied. */
export interface ClearableStore extends KeyedPetStore {
  /** Removes all pets and remembered requests, for the next test. The next pet gets the id 1. API keys stay. */
  clear(): void;
}

/**
 * Creates an empty store, the default. Its pets are lost when the process ends. It is never unavailable, and its
 * methods return without a promise.
 */
export function createMemoryStore(): ClearableStore {
  return Object.assign(new MemoryStore(), { keys: new MemoryKeys(), async [Symbol.asyncDispose]() {} });
}

/** A create that a retry with the same key repeats. */
interface RememberedRequest {
  id: bigint;
  fingerprint: string;
  /** When it is forgotten, in milliseconds as in `Date.now()`. */
  expires: number;
}

/** A store without API keys, for a petstore that creates its store itself. */
export class MemoryStore implements PetStore {
  /** The pets as JSON text. The pet with the id 1 is the first. */
  readonly #pets: string[] = [];
  /** The ids of the pets of each status, so that a page of a rare status costs no more than one of a common status. */
  readonly #idsByStatus: number[][] = PET_STATUSES.map(() => []);
  /** The remembered requests by their keys, in the order in which they came. */
  readonly #requests = new Map<string, RememberedRequest>();
  /** By these counters the service notices that the responses that it keeps are out of date. */
  readonly #changes: StoreChanges = { additions: 0, alterations: 0 };

  create(pet: PetDraft): bigint {
    // An invalid status throws here, before anything is stored.
    const idsOfStatus = this.#listOf(pet.status);
    const id = this.#pets.length + 1;
    // V8 keeps a concatenated string as a tree, in three times the memory, until it is read. trim() reads it.
    this.#pets.push(formatPetWithId(id, pet).trim());
    idsOfStatus.push(id);
    this.#changes.additions++;
    return BigInt(id);
  }

  createOnce(pet: PetDraft, { key, fingerprint, retentionMs }: IdempotentRequest): IdempotentOutcome {
    const now = Date.now();
    const request = this.#requests.get(key);
    const known = request && request.expires > now ? recall(request, fingerprint) : undefined;
    if (known) return known;
    const id = this.create(pet);
    // A map leaves a key that is set again at its old place, so an expired request with this key is deleted first. The
    // order of the map is that of expiry, on which `#deleteExpired()` relies.
    this.#requests.delete(key);
    this.#deleteExpired(now);
    this.#requests.set(key, { id, fingerprint, expires: now + retentionMs });
    return { outcome: "created", id };
  }

  /**
   * Deletes up to two requests that have expired, from the oldest on. Each create adds at most one, so the backlog shrinks. All requests of a
   * petstore are remembered for the same time, so the older one never expires later.
   */
  #deleteExpired(now: number): void {
    let count = 0;
    for (const [key, { expires }] of this.#requests) {
      if (count === 2 || expires > now) return;
      this.#requests.delete(key);
      count++;
    }
  }

  get(id: bigint): string | undefined {
    return this.#pets[Number(id) - 1];
  }

  list({ after, limit, status }: PetQuery): PetPage {
    return status === undefined ? this.#listAll(after, limit) : this.#listOfStatus(status, after, limit);
  }

  /** Lists pets of every status. Their ids have no gaps, so the first `after` pets are those up to that id. `after` may be negative. */
  #listAll(after: bigint, limit: number): PetPage {
    const start = Math.max(0, Number(after));
    const end = start + limit;
    const json = `[${this.#pets.slice(start, end).join(",")}]`;
    return end < this.#pets.length ? { json, next: BigInt(end) } : { json };
  }

  #listOfStatus(status: PetStatus, after: bigint, limit: number): PetPage {
    const ids = this.#listOf(status);
    const start = countUpTo(ids, Number(after));
    const end = start + limit;
    const shown = ids.slice(start, end);
    const json = `[${shown.map((id) => this.#pets[id - 1]).join(",")}]`;
    return end < ids.length ? { json, next: BigInt(shown.at(-1)!) } : { json };
  }

  #listOf(status: PetStatus): number[] {
    return this.#idsByStatus[statusCode(status)]!;
  }

  clear(): void {
    this.#pets.length = 0;
    for (const ids of this.#idsByStatus) ids.length = 0;
    this.#requests.clear();
    // The service may have kept responses that show the removed pets.
    this.#changes.alterations++;
  }

  changes(): StoreChanges {
    return this.#changes;
  }

  check(): void {}

  close(): void {}
}

/** How many of the ascending ids are not above `id`, found by bisection. */
function countUpTo(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! > id) high = middle;
    else low = middle + 1;
  }
  return low;
}
