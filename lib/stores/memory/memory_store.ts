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
import { type KeySnapshot, type KeyStore, type KeyUse, latestUses, type StoredKey } from "../key_store.ts";
import { statusCode } from "../status_code.ts";
import { countWrite, recall } from "../write.ts";

/**
 * Creates an empty store, the default. Its pets are lost when the process ends. It is never unavailable, and its
 * methods return without a promise.
 */
export function createMemoryStore(): KeyedPetStore {
  return Object.assign(new MemoryStore(), { keys: new MemoryKeys(), async [Symbol.asyncDispose]() {} });
}

/** Without API keys, for a petstore that creates its store itself. */
export class MemoryStore implements PetStore {
  /** As JSON text. The pet with the id 1 is the first. */
  readonly #pets: string[] = [];
  /** By status code, so that a page of a rare status costs no more than one of a common status. */
  readonly #idsOfStatus: number[][] = PET_STATUSES.map(() => []);
  /** In order of arrival. */
  readonly #requests = new Map<string, { id: bigint; fingerprint: string; expires: number }>();
  readonly #changes: StoreChanges = { additions: 0, alterations: 0 };

  create(pet: PetDraft): bigint {
    const ofStatus = this.#idsOf(pet.status);
    const id = this.#pets.length + 1;
    // V8 keeps a concatenated string as a tree, in three times the memory, until it is read. trim() reads it.
    this.#pets.push(formatPetWithId(id, pet).trim());
    ofStatus.push(id);
    countWrite(this.#changes, { kind: "create" });
    return BigInt(id);
  }

  createOnce(pet: PetDraft, { key, fingerprint, retentionMs }: IdempotentRequest): IdempotentOutcome {
    const now = Date.now();
    const known = this.#requests.get(key);
    const outcome = recall(known && known.expires > now ? known : undefined, fingerprint);
    if (outcome) return outcome;
    const id = this.create(pet);
    this.#requests.delete(key);
    this.#deleteExpired(now);
    this.#requests.set(key, { id, fingerprint, expires: now + retentionMs });
    return { outcome: "created", id };
  }

  /** Each create adds at most one request, so the backlog shrinks. */
  #deleteExpired(now: number): void {
    let count = 0;
    for (const [key, { expires }] of this.#requests) {
      if (expires > now || count++ === 2) return;
      this.#requests.delete(key);
    }
  }

  get(id: bigint): string | undefined {
    return this.#pets[Number(id) - 1];
  }

  list({ after, limit, status }: PetQuery): PetPage {
    const ids = status === undefined ? undefined : this.#idsOf(status);
    const start = Math.max(0, ids ? countUpTo(ids, Number(after)) : Number(after));
    const end = start + limit;
    const shown = ids ? ids.slice(start, end).map((id) => this.#pets[id - 1]) : this.#pets.slice(start, end);
    const json = `[${shown.join(",")}]`;
    const { length } = ids ?? this.#pets;
    return end < length ? { json, next: BigInt(ids?.[end - 1] ?? end) } : { json };
  }

  #idsOf(status: PetStatus): number[] {
    return this.#idsOfStatus[statusCode(status)]!;
  }

  changes(): StoreChanges {
    return this.#changes;
  }

  check(): void {}

  close(): void {}
}

/** How many of the ascending ids are not above `id`, found by bisection. */
function countUpTo(ids: readonly number[], id: number): number {
  let low = 0, high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! > id) high = middle;
    else low = middle + 1;
  }
  return low;
}

class MemoryKeys implements KeyStore {
  readonly #keys = new Map<string, StoredKey>();
  #version = 0;

  list(): StoredKey[] {
    return Array.from(this.#keys.values(), (key) => ({ ...key }));
  }

  listSince(last: string): KeySnapshot {
    const version = String(this.#version);
    return version === last ? { version } : { version, keys: this.list() };
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): boolean {
    this.#version++;
    const old = replaced && this.#keys.get(replaced.id);
    if (replaced && (!old || old.revoked)) return false;
    for (const { id, digest } of this.#keys.values()) if (id === key.id || digest === key.digest) return false;
    this.#keys.set(key.id, { ...key });
    if (old && replaced && !(old.expires && old.expires <= replaced.expires)) old.expires = replaced.expires;
    return true;
  }

  revoke(id: string, at: Date): boolean {
    this.#version++;
    const key = this.#keys.get(id);
    if (key) key.revoked ??= at;
    return key !== undefined;
  }

  touch(uses: readonly KeyUse[]): void {
    this.#version++;
    const now = Date.now();
    for (const [id, at] of latestUses(uses, now)) {
      const key = this.#keys.get(id);
      const known = key?.lastUsed?.getTime() ?? 0;
      if (key) key.lastUsed = new Date(known <= now ? Math.max(known, at) : at);
    }
  }

  remove(ids: readonly string[]): void {
    this.#version++;
    for (const id of ids) this.#keys.delete(id);
  }
}
