/** How many texts the cache keeps at most. It is a power of two, so that a slot is a part of the id's bits. */
const SLOTS = 131_072;

/**
 * Keeps the texts of pets that are read often. Each id has one slot, which it shares with others. An id takes an empty slot at once, and
 * the slot of another id when it is missed twice with no other miss of the slot between.
 */
export class TextCache {
  /**
   * Two ids for each slot: the one whose text is kept, and the one that was missed last. `NaN` stands for none, because another program may
   * have added the id 0.
   */
  readonly #ids = new Float64Array(2 * SLOTS);
  readonly #texts: (string | undefined)[] = Array(SLOTS);
  /** The counter of alterations when the kept texts were read. With another one, they may be stale. */
  #alterations = -1;

  /**
   * Finds the text of a pet, if it is kept.
   *
   * @param alterations The counter of `StoreChanges`. An addition makes no kept text stale, since the absence of a pet is not kept.
   */
  find(id: bigint, alterations: number): string | undefined {
    if (alterations !== this.#alterations) this.#clear(alterations);
    const number = Number(id);
    const slot = number & (SLOTS - 1);
    return this.#ids[2 * slot] === number ? this.#texts[slot] : undefined;
  }

  /** Offers the text of a pet that {@link find} has just missed. It is kept if the pet is asked for often. */
  offer(id: bigint, text: string): void {
    const number = Number(id);
    // Several ids beyond 2^53 have the same number, so their texts are not kept.
    if (!Number.isSafeInteger(number)) return;
    const slot = number & (SLOTS - 1);
    const keptAt = 2 * slot;
    const missedAt = keptAt + 1;
    if (this.#ids[missedAt] === number || Number.isNaN(this.#ids[keptAt])) {
      this.#ids[keptAt] = number;
      this.#texts[slot] = text;
    }
    this.#ids[missedAt] = number;
  }

  #clear(alterations: number): void {
    this.#alterations = alterations;
    this.#ids.fill(NaN);
    this.#texts.fill(undefined);
  }
}
