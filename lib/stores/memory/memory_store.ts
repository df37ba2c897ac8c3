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
import { outcomeOfRepeated } from "../remembered_request.ts";
import { MemoryKeys } from "./memory_keys.ts";
import { RequestMemory } from "./request_memory.ts";

/** A store in memory, which can be emptied. */
export interface ClearableStore extends KeyedPetStore {
  /** Removes all pets and remembered requests, for the next test. The next pet gets the id 1. API keys stay. */
  clear(): void;
}

/**
 * Creates an empty store, the default. Its pets are lost when the process ends. It is never
 * unavailable, and its methods return without a promise.
 */
export function createMemoryStore(): ClearableStore {
  return Object.assign(new MemoryStore(), { keys: new MemoryKeys(), async [Symbol.asyncDispose]() {} });
}

/** A store without API keys, for a petstore that creates its store itself. */
export class MemoryStore implements PetStore {
  /** The pets as JSON text. The pet with the id 1 is the first. */
  readonly #pets: string[] = [];
  /** The ids of the pets of each status, so that a page of a rare status costs no more than one of a common status. */
  readonly #idsByStatus: number[][] = PET_STATUSES.map(() => []);
  readonly #requests = new RequestMemory();
  readonly #changes: StoreChanges = { additions: 0, alterations: 0 };

  create(pet: PetDraft): bigint {
    // An invalid status throws here, before anything is stored.
    const idsOfStatus = this.#listOf(pet.status);
    const id = this.#pets.length + 1;
    this.#pets.push(inOnePiece(formatPetWithId(id, pet)));
    idsOfStatus.push(id);
    this.#changes.additions++;
    return BigInt(id);
  }

  createOnce(pet: PetDraft, request: IdempotentRequest): IdempotentOutcome {
    const now = Date.now();
    const remembered = this.#requests.find(request.key, now);
    if (remembered) return outcomeOfRepeated(remembered, request.fingerprint);
    const id = this.create(pet);
    this.#requests.remember(request, id, now);
    return { outcome: "created", id };
  }

  get(id: bigint): string | undefined {
    return this.#pets[Number(id) - 1];
  }

  list({ after, limit, status }: PetQuery): PetPage {
    return status === undefined ? this.#listAll(after, limit) : this.#listOfStatus(status, after, limit);
  }

  /**
   * Lists pets of every status. Their ids have no gaps, so the first `after` pets are those up to
   * that id. `after` may be negative.
   */
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

/**
 * V8 keeps a concatenated text as a tree of its pieces, in three times the memory, until something
 * reads it. trim() reads it.
 */
function inOnePiece(text: string): string {
  return text.trim();
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
