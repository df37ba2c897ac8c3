import type { KeySnapshot, KeyStore, StoredKey } from "../key_store.ts";

/** Keeps API keys in memory, by the rules of a {@link KeyStore}. Stores on a database state the same rules in SQL. */
export class MemoryKeys implements KeyStore {
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
