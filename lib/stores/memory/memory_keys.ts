import type { KeySnapshot, KeyStore, StoredKey } from "../key_store.ts";

/** Keeps API keys in memory, by the rules of a {@link KeyStore}. Stores on a database state the same rules in SQL. */
export class MemoryKeys implements KeyStore {
  readonly #keys = new Map<string, StoredKey>();
  /** Grows with every attempt to change a key. One that changes nothing costs its readers no more than to read the keys once more. */
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
    const old = replaced && this.#keys.get(replaced.id);
    if (replaced && (!old || old.revoked)) return false;
    for (const { id, digest } of this.#keys.values()) if (id === key.id || digest === key.digest) return false;
    this.#keys.set(key.id, { ...key });
    if (old && replaced) {
      const expiresSooner = old.expires !== undefined && old.expires <= replaced.expires;
      if (!expiresSooner) old.expires = replaced.expires;
    }
    return true;
  }

  revoke(id: string, at: Date): boolean {
    this.#version++;
    const key = this.#keys.get(id);
    if (key) key.revoked ??= at;
    return key !== undefined;
  }
}
