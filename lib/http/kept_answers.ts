/**
 * Answers that are kept and sent again. Pets hardly ever change, so most reads need neither the store nor a new entity
 * tag. Nothing that may have changed is sent from here.
 */

import type { Answer } from "./answer.ts";

/** Two counters by which a source tells that it has changed. */
export interface Changes {
  /** Grows with every addition. A page that was the last one may then have a successor. */
  additions: number;
  /** Grows whenever anything else may have changed. */
  alterations: number;
}

interface Entry {
  answer: Answer;
  /** The counter before the answer was made; compared if the answer holds until the next addition. */
  additions: number;
  /** In bytes, roughly. */
  weight: number;
}

/** Roughly what an entry weighs beside its body, in bytes: its target, its headers, its place in the map. */
const ENTRY_WEIGHT = 600;

/** Bytes of each generation. */
const MAX_WEIGHT = 16 * 1024 * 1024;

/**
 * Keeps answers by target in two generations: when the younger is full, the older is dropped and the younger takes its
 * place. An entry that is used moves to the younger. So what is asked for often stays, without a list to relink.
 */
export class KeptAnswers {
  readonly #changes: () => Changes;
  readonly #maxWeight: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #weight = 0;
  #alterations = -1;

  /**
   * @param changes Asked whenever an answer is kept or found, and not for a target that is not known.
   * @param maxWeight Of one generation, in bytes.
   */
  constructor(changes: () => Changes, maxWeight: number = MAX_WEIGHT) {
    this.#changes = changes;
    this.#maxWeight = maxWeight;
  }

  /** The counters as they are now, for {@link keep}. Taken before the source is asked. */
  now(): Changes {
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) this.#clear(alterations);
    return { additions, alterations };
  }

  /** The answer to a GET of this target, if it still holds. */
  find(target: string): Answer | undefined {
    const entry = this.#young.get(target) ?? this.#promote(target);
    if (!entry) return undefined;
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) return void this.#clear(alterations);
    return entry.answer.holds === "always" || entry.additions === additions ? entry.answer : undefined;
  }

  /** Keeps an answer that says how long it holds; `since` are the counters from before it was made. */
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
    // An older answer to the same request leaves, and its weight with it.
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
