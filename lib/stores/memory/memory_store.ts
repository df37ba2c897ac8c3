import { formatPetWithId, PET_STATUSES, type PetStatus } from "../../pet.ts";
import type { KeySnapshot, KeyStore, StoredKey } from "../key_store.ts";
import { outcomeOfRepeated, type RememberedRequest } from "../remembered_request.ts";
import { statusCode } from "../status_code.ts";
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

/** How many expired requests are deleted at most when a request is added. With two for each, a backlog shrinks. */
const MAX_FORGOTTEN = 2;

interface ExpiringRequest extends RememberedRequest {
  /** When the request is forgotten, in milliseconds as in `Date.now()`. */
  expires: number;
}

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
  /**
   * The remembered requests by their keys. A map keeps the order of its insertions, and all requests
   * are remembered for the same time, so the one that expires first is the first.
   */
  readonly #requests = new Map<string, ExpiringRequest>();
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
    const remembered = this.#requests.get(request.key);
    if (remembered && remembered.expires > now) return outcomeOfRepeated(remembered, request.fingerprint);
    const id = this.create(pet);
    this.#remember(request, id, now);
    return { outcome: "created", id };
  }

  #remember({ key, fingerprint, retentionMs }: IdempotentRequest, id: bigint, now: number): void {
    // An expired request may have this key. A map would leave the key at its old place.
    this.#requests.delete(key);
    let forgotten = 0;
    for (const [each, { expires }] of this.#requests) {
      if (expires > now || forgotten === MAX_FORGOTTEN) break;
      this.#requests.delete(each);
      forgotten++;
    }
    this.#requests.set(key, { id, fingerprint, expires: now + retentionMs });
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

/** Keeps API keys in memory, by the rules of a {@link KeyStore}. Stores on a database state the same rules in SQL. */
class MemoryKeys implements KeyStore {
  readonly #keys = new Map<string, StoredKey>();
  /**
   * Grows with every attempt to change a key. One that changes nothing costs its readers no more
   * than to read the keys once more.
   */
  #version = 0;

  list(): StoredKey[] {
    return Array.from(this.#keys.values(), (key) => ({ ...key }));
  }

  listSince(knownVersion: string): KeySnapshot {
    const version = String(this.#version);
    return version === knownVersion ? { version } : { version, keys: this.list() };
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): boolean {
    this.#version++;
    for (const { id, digest } of this.#keys.values()) {
      if (id === key.id || digest === key.digest) return false;
    }
    if (replaced && !this.#expire(replaced)) return false;
    this.#keys.set(key.id, { ...key });
    return true;
  }

  /** Lets a key expire at this time, unless it does so sooner. Returns false if the key is missing or revoked. */
  #expire({ id, expires }: { id: string; expires: Date }): boolean {
    const key = this.#keys.get(id);
    if (!key || key.revoked) return false;
    const expiresSooner = key.expires !== undefined && key.expires <= expires;
    if (!expiresSooner) key.expires = expires;
    return true;
  }

  revoke(id: string, at: Date): boolean {
    this.#version++;
    const key = this.#keys.get(id);
    if (key) key.revoked ??= at;
    return key !== undefined;
  }
}
