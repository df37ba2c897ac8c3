/** A cache of responses. Pets rarely change, so most reads need neither the store nor a new entity tag. It is never stale. */

import type { Reply } from "./reply.ts";

/** Two counters that show whether the source of the responses has changed. */
export interface Changes {
  /** Grows with every addition. The last page may then have a successor. */
  additions: number;
  /** Grows whenever anything else may have changed. */
  alterations: number;
}

interface Entry {
  reply: Reply;
  /** The value of the counter before the response was made. */
  additions: number;
  /** The approximate size in bytes. */
  weight: number;
}

/** The approximate size of an entry without its target and its body, in bytes. */
const ENTRY_WEIGHT = 600;

/** The largest size of a generation, in bytes. */
const MAX_WEIGHT = 16 * 1024 * 1024;

/**
 * keeps responses by target in two generations. When the young one is full, it replaces the old one. An entry that is used
 * moves to the young one, so frequent responses stay, without the cost of a linked list.
 */
export class ResponseCache {
  readonly #changes: () => Changes;
  readonly #maxWeight: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #weight = 0;
  #alterations = -1;

  /**
   * @param changes Reads the counters. Not called for an unknown target.
   * @param maxWeight The largest size of a generation, in bytes.
   */
  constructor(changes: () => Changes, maxWeight: number = MAX_WEIGHT) {
    this.#changes = changes;
    this.#maxWeight = maxWeight;
  }

  /** Reads the counters for {@link keep}. Call it before the response is made. */
  now(): Changes {
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) this.#clear(alterations);
    return { additions, alterations };
  }

  /** The kept response to a GET of this target, if it still holds. */
  find(target: string): Reply | undefined {
    const entry = this.#young.get(target) ?? this.#promote(target);
    if (!entry) return undefined;
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) return void this.#clear(alterations);
    return entry.reply.holds === "always" || entry.additions === additions ? entry.reply : undefined;
  }

  /** Keeps a response if it says how long it holds. `since` is the result of {@link now} before the response was made. */
  keep(target: string, reply: Reply, since: Changes): void {
    const { body, holds } = reply;
    if (holds === undefined || typeof body !== "string" || since.alterations !== this.#alterations) return;
    const weight = ENTRY_WEIGHT + 2 * (target.length + body.length);
    this.#add(target, { reply, additions: since.additions, weight });
  }

  #promote(target: string): Entry | undefined {
    const entry = this.#old.get(target);
    if (entry) this.#add(target, entry);
    return entry;
  }

  #add(target: string, entry: Entry): void {
    const { weight } = entry;
    const replaced = this.#young.get(target)?.weight ?? 0;
    if (this.#weight - replaced + weight > this.#maxWeight) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    } else {
      this.#weight -= replaced;
    }
    if (weight > this.#maxWeight) return;
    this.#young.set(target, entry);
    this.#weight += weight;
  }

  #clear(alterations: number): void {
    this.#alterations = alterations;
    this.#young = new Map();
    this.#old = new Map();
    this.#weight = 0;
  }
}
