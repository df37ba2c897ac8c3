import type { KeyStore, KeyUse, StoredKey } from "../key_store.ts";

/** Keeps API keys until the process ends. */
export class MemoryKeys implements KeyStore {
  readonly #keys = new Map<string, StoredKey>();

  list(): StoredKey[] {
    return Array.from(this.#keys.values(), (key) => ({ ...key }));
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): boolean {
    const old = replaced && this.#keys.get(replaced.id);
    if (replaced && (!old || old.revoked)) return false;
    for (const { id, digest } of this.#keys.values()) if (id === key.id || digest === key.digest) return false;
    this.#keys.set(key.id, { ...key });
    if (old && replaced && !(old.expires && old.expires <= replaced.expires)) old.expires = replaced.expires;
    return true;
  }

  revoke(id: string, at: Date): boolean {
    const key = this.#keys.get(id);
    if (key) key.revoked ??= at;
    return key !== undefined;
  }

  touch(uses: readonly KeyUse[]): void {
    for (const { id, at } of uses) {
      const key = this.#keys.get(id);
      if (key && !(key.lastUsed && key.lastUsed >= at)) key.lastUsed = at;
    }
  }
}
