import type { KeyStore } from "../stores/key_store.ts";

/** How often uses are written while requests arrive, and how soon again after a failure, in milliseconds. */
const INTERVAL = 60_000, RETRY = 5_000;

/** The last use of each key, which a store gets late. */
export class KeyUses {
  readonly #store: KeyStore;
  readonly #byId = new Map<string, { at: number; written: number }>();
  #dueAt = -Infinity;

  constructor(store: KeyStore) {
    this.#store = store;
  }

  of(id: string): { at: number } {
    let use = this.#byId.get(id);
    if (!use) this.#byId.set(id, use = { at: 0, written: 0 });
    return use;
  }

  flushIfDue(now: number): void {
    if (now >= this.#dueAt) void this.flush();
  }

  /** A failure loses none: they are written the next time. */
  async flush(): Promise<void> {
    // Not only later ones: the clock may have been wrong.
    const due = [...this.#byId].filter(([, { at, written }]) => at !== written);
    if (due.length === 0) return;
    this.#dueAt = performance.now() + INTERVAL;
    const uses = due.map(([id, { at }]) => ({ id, at: new Date(at) }));
    try {
      await this.#store.touch(uses);
      for (const { id, at } of uses) this.#byId.get(id)!.written = at.getTime();
    } catch {
      // Not at the next read of the keys: a standby would log each attempt. If the store is unavailable, reading the keys reports it.
      this.#dueAt -= INTERVAL - RETRY;
    }
  }
}
