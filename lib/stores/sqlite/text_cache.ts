/** How many texts the cache keeps at most: a power of two. */
const SLOTS = 131_072;

/**
 * Keeps the texts of pets that are read often. Each id has one slot, which it shares with others.
 * An id takes an empty slot at once, and the slot of another id when it is missed twice with no
 * other miss of the slot between. A slot with a text that may be stale counts as empty.
 */
export class TextCache {
  /**
   * For each slot, the id whose text is kept. `NaN` stands for none, because another program may
   * have added the id 0.
   */
  readonly #keptIds = new Float64Array(SLOTS).fill(NaN);
  /**
   * For each slot, the counter of alterations when its text was read. With another one, the text
   * may be stale.
   */
  readonly #alterations = new Float64Array(SLOTS);
  readonly #texts: (string | undefined)[] = Array(SLOTS);
  /** For each slot, the id that was missed last. */
  readonly #missedIds = new Float64Array(SLOTS).fill(NaN);

  /**
   * Finds the text of a pet, if it is kept.
   *
   * @param alterations The counter of `StoreChanges`. An addition makes no kept text stale, since
   * the absence of a pet is not kept.
   */
  find(id: bigint, alterations: number): string | undefined {
    const number = Number(id);
    const slot = slotOf(number);
    const isKept = this.#keptIds[slot] === number && this.#alterations[slot] === alterations;
    return isKept ? this.#texts[slot] : undefined;
  }

  /**
   * Offers the text of a pet that {@link find} has just missed. It is kept if the pet is asked for
   * often.
   *
   * @param alterations The counter that {@link find} got.
   */
  offer(id: bigint, text: string, alterations: number): void {
    const number = Number(id);
    // Several ids beyond 2^53 have the same number, so their texts are not kept.
    if (!Number.isSafeInteger(number)) return;
    const slot = slotOf(number);
    const isEmpty = Number.isNaN(this.#keptIds[slot]) || this.#alterations[slot] !== alterations;
    if (isEmpty || this.#missedIds[slot] === number) {
      this.#keptIds[slot] = number;
      this.#alterations[slot] = alterations;
      this.#texts[slot] = text;
    }
    this.#missedIds[slot] = number;
  }
}

/** The remainder of the id, as its last bits, because a division takes longer. */
function slotOf(id: number): number {
  return id & (SLOTS - 1);
}
