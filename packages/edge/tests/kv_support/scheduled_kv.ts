/** A model of Deno KV in memory, in which a scheduler of fast-check orders all calls, and a test decides how commits fail. */

import type { Scheduler } from "fast-check";
import type { KvAtomic, KvClient, KvEntry, KvKey } from "../../lib/kv/kv_store.ts";

/** What becomes of a commit. After the last two it is applied, and the store does not learn it. */
export const FATES = ["done", "fails before", "fails after", "calls itself overtaken"] as const;

export type Fate = (typeof FATES)[number];

type Row = KvEntry & { key: KvKey };

export class ScheduledKv implements KvClient {
  /** How often each fate has occurred, and how many commits were overtaken. */
  readonly seen: Map<string, number> = new Map();
  readonly #scheduler: Scheduler;
  #fates: Iterator<Fate>;
  readonly #rows = new Map<string, Row>();
  #version = 0;

  /** @param fates Of the first commits; the others are done. */
  constructor(scheduler: Scheduler, fates: Iterable<Fate>) {
    this.#scheduler = scheduler;
    this.#fates = Iterator.from(fates);
  }

  /** From now on, no commit fails. */
  recover(): void {
    this.#fates = Iterator.from([]);
  }

  get(key: KvKey): Promise<KvEntry> {
    return this.#call("get", () => this.#read(key));
  }

  getMany(keys: KvKey[]): Promise<KvEntry[]> {
    return this.#call("getMany", () => keys.map((key) => this.#read(key)));
  }

  async *list({ start, end }: { start: KvKey; end: KvKey }, { limit = 500 } = {}): AsyncGenerator<Row> {
    yield* await this.#call("list", () => {
      const [first, beyond] = [textOf(start), textOf(end)];
      const texts = [...this.#rows.keys()].filter((text) => text >= first && text < beyond).sort();
      return texts.slice(0, limit).map((text) => this.#rows.get(text)!);
    });
  }

  atomic(): KvAtomic {
    const checks: { key: KvKey; versionstamp: string | null }[] = [];
    const writes: (() => void)[] = [];
    return {
      check: (check) => checks.push(check),
      set: (key, value) => writes.push(() => this.#rows.set(textOf(key), { key, value, versionstamp: this.#stamp })),
      delete: (key) => writes.push(() => this.#rows.delete(textOf(key))),
      commit: () =>
        this.#call("commit", () => {
          const fate = this.#fates.next().value ?? "done";
          this.#count(fate);
          if (fate === "fails before") throw new Error("The connection was lost");
          const isCurrent = checks.every(({ key, versionstamp }) => this.#read(key).versionstamp === versionstamp);
          if (!isCurrent) this.#count("overtaken");
          else {
            this.#version++;
            for (const write of writes) write();
          }
          if (fate === "fails after") throw new Error("The connection was lost");
          return isCurrent && fate === "done" ? { ok: true, versionstamp: this.#stamp } : { ok: false };
        }),
    };
  }

  get #stamp(): string {
    return String(this.#version);
  }

  #read(key: KvKey): Row {
    return this.#rows.get(textOf(key)) ?? { key, value: null, versionstamp: null };
  }

  #count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  /** A call happens in one moment, and its response arrives later. */
  async #call<T>(name: string, run: () => T): Promise<T> {
    await this.#scheduler.schedule(Promise.resolve(), name);
    try {
      return run();
    } finally {
      await this.#scheduler.schedule(Promise.resolve(), `the response to ${name}`);
    }
  }
}

/** Texts in the order of keys. */
function textOf(key: KvKey): string {
  return key.map((part) => typeof part === "bigint" ? `n${String(part).padStart(20, "0")}` : `s${part}`).join("\0");
}
