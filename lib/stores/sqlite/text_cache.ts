/** How many texts the cache keeps at most. It is a power of two, so that a slot is a part of the id's bits. */
const SLOTS = 131_072;

/**
 * Keeps the texts of pets that are read often. Each id has one slot. It takes an empty slot at once, and another id's when it is missed
 * twice with no other miss of the slot between.
 */
export class TextCache {
  readonly #read: (id: bigint) => string | undefined;
  /** For each slot, the id whose text it keeps, and the id that was missed last. `NaN` is none: another program may have added id 0. */
  readonly #ids = new Float64Array(2 * SLOTS);
  readonly #texts: (string | undefined)[] = Array(SLOTS);
  #alterations = -1;

  constructor(read: (id: bigint) => string | undefined) {
    this.#read = read;
  }

  get(id: bigint, alterations: number): string | undefined {
    if (alterations !== this.#alterations) this.#clear(alterations);
    const number = Number(id);
    const slot = number & (SLOTS - 1), kept = 2 * slot, missed = kept + 1;
    if (this.#ids[kept] === number) return this.#texts[slot];
    const text = this.#read(id);
    // Ids beyond 2^53 share a number, so their texts are not kept.
    if (text === undefined || !Number.isSafeInteger(number)) return text;
    if (this.#ids[missed] === number || Number.isNaN(this.#ids[kept])) {
      this.#ids[kept] = number;
      this.#texts[slot] = text;
    }
    this.#ids[missed] = number;
    return text;
  }

  #clear(alterations: number): void {
    this.#alterations = alterations;
    this.#ids.fill(NaN);
    this.#texts.fill(undefined);
  }
}
