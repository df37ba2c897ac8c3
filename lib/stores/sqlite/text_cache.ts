/** How many texts the cache keeps at most. It is a power of two, so that a slot is a part of the id's bits. */
const SLOTS = 131_072;

/**
 * Keeps the texts of pets that are read often. Each id has one slot, which it shares with others. An id takes an empty slot at once, and
 * the slot of another id when it is missed twice with no other miss of the slot between.
 */
export class TextCache {
  readonly #read: (id: bigint) => string | undefined;
  /**
   * Two ids for each slot: the one whose text is kept, and the one that was missed last. `NaN` stands for none, because another program may
   * have added the id 0.
   */
  readonly #ids = new Float64Array(2 * SLOTS);
  readonly #texts: (string | undefined)[] = Array(SLOTS);
  /** The counter of alterations when the kept texts were read. With another one, they may be stale. */
  #alterations = -1;

  constructor(read: (id: bigint) => string | undefined) {
    this.#read = read;
  }

  get(id: bigint, alterations: number): string | undefined {
    if (alterations !== this.#alterations) this.#clear(alterations);
    const number = Number(id);
    const slot = number & (SLOTS - 1);
    const keptAt = 2 * slot, missedAt = keptAt + 1;
    if (this.#ids[keptAt] === number) return this.#texts[slot];
    const text = this.#read(id);
    // An absence is not kept, so the cache stays right when a pet is added. Several ids beyond 2^53 have the same number, so their texts are
    // not kept either.
    if (text === undefined || !Number.isSafeInteger(number)) return text;
    if (this.#ids[missedAt] === number || Number.isNaN(this.#ids[keptAt])) {
      this.#ids[keptAt] = number;
      this.#texts[slot] = text;
    }
    this.#ids[missedAt] = number;
    return text;
  }

  #clear(alterations: number): void {
    this.#alterations = alterations;
    this.#ids.fill(NaN);
    this.#texts.fill(undefined);
  }
}
