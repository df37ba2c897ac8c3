/** A cache of answers. Pets rarely change, so most reads need neither the store nor a new entity tag. It is never stale. */

import type { Answer } from "./answer.ts";

/** Two counters that show whether the source of the answers has changed. */
export interface Changes {
  /** Grows with every addition. The last page may then have a successor. */
  additions: number;
  /** Grows whenever anything else may have changed. */
  alterations: number;
}

interface Entry {
  answer: Answer;
  /** The value of the counter before the answer was made. */
  additions: number;
  /** The approximate size in bytes. */
  weight: number;
}

/** The approximate size of an entry without its target and its body, in bytes. */
const ENTRY_WEIGHT = 600;

/** The largest size of a generation, in bytes. */
const MAX_WEIGHT = 16 * 1024 * 1024;

/**
 * Keeps answers by target in two generations. When the young one is full, it replaces the old one. An entry that is used
 * moves to the young one, so frequent answers stay, without the cost of a linked list.
 */
export class KeptAnswers {
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

  /** Reads the counters for {@link keep}. Call it before the answer is made. */
  now(): Changes {
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) this.#clear(alterations);
    return { additions, alterations };
  }

  /** The kept answer to a GET of this target, if it still holds. */
  find(target: string): Answer | undefined {
    const entry = this.#young.get(target) ?? this.#promote(target);
    if (!entry) return undefined;
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) return void this.#clear(alterations);
    return entry.answer.holds === "always" || entry.additions === additions ? entry.answer : undefined;
  }

  /** Keeps an answer if it says how long it holds. `since` is the result of {@link now} before the answer was made. */
  keep(target: string, answer: Answer, since: Changes): void {
    const { body, holds } = answer;
    if (holds === undefined || typeof body !== "string" || since.alterations !== this.#alterations) return;
    const weight = ENTRY_WEIGHT + 2 * (target.length + body.length);
    this.#add(target, { answer, additions: since.additions, weight });
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
