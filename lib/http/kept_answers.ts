/**
 * Answers that are sent again as they are. What is in the catalogue hardly ever changes, so most reads need neither the
 * store nor a new entity tag; but nothing is served from here that may have changed.
 */

import type { Answer } from "./answer.ts";

/** Two counters by which a source tells that it has changed. */
export interface Changes {
  /** Grows with every addition: what was an end may be none any more. */
  additions: number;
  /** Grows whenever anything at all may have changed. */
  alterations: number;
}

interface Entry {
  answer: Answer;
  /** What `additions` was; compared only if the answer holds until the next one. */
  additions: number;
  /** In bytes, roughly. */
  weight: number;
}

/** What an entry weighs beside its body, roughly: its URL, its headers, its place in the map. */
const ENTRY_WEIGHT = 600;

/**
 * Keeps answers by URL, in two generations: when the younger is full, the older is dropped and the younger takes its
 * place; what is used moves back. That keeps what is asked for often, at the price of a look-up and no list to relink.
 */
export class AnswerCache {
  readonly #changes: () => Changes;
  readonly #maxWeight: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #weight = 0;
  #alterations = -1;

  /**
   * @param changes Asked at every look-up.
   * @param maxWeight Of one generation, in bytes.
   */
  constructor(changes: () => Changes, maxWeight: number) {
    this.#changes = changes;
    this.#maxWeight = maxWeight;
  }

  /** The counters as they are now, to be given to {@link keep}. Taken before the source is asked. */
  now(): Changes {
    const { additions, alterations } = this.#changes();
    return { additions, alterations };
  }

  /** The answer to a GET of this URL, if it still holds. */
  find(url: string): Answer | undefined {
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) this.#clear(alterations);
    const entry = this.#young.get(url) ?? this.#promote(url);
    return entry && (entry.answer.holds === "always" || entry.additions === additions) ? entry.answer : undefined;
  }

  /** Keeps an answer that says how long it holds; `since` are the counters from before it was made. */
  keep(url: string, answer: Answer, since: Changes): void {
    if (answer.holds === undefined || since.alterations !== this.#alterations) return;
    const weight = ENTRY_WEIGHT + 2 * (url.length + (answer.body?.length ?? 0));
    this.#add(url, { answer, additions: since.additions, weight });
  }

  #promote(url: string): Entry | undefined {
    const entry = this.#old.get(url);
    if (entry) this.#add(url, entry);
    return entry;
  }

  #add(url: string, entry: Entry): void {
    const { weight } = entry;
    // In place of an older answer to the same request, whose weight goes with it.
    const replaced = this.#young.get(url)?.weight ?? 0;
    if (this.#weight - replaced + weight > this.#maxWeight) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    } else {
      this.#weight -= replaced;
    }
    if (weight > this.#maxWeight) return;
    this.#young.set(url, entry);
    this.#weight += weight;
  }

  #clear(alterations: number): void {
    this.#alterations = alterations;
    this.#young = new Map();
    this.#old = new Map();
    this.#weight = 0;
  }
}
