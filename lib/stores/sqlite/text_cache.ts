/** A cache of the texts of pets by id. To read one takes SQLite as long as all else of a response. */

/** They take 15 MB with 100,000 pets. A power of two. */
const SLOTS = 131_072;

/**
 * Each id has one slot, which it shares with others. It takes the slot when it is missed twice with no other miss between: often
 * asked for, it soon is. Texts are never removed together, so that garbage collection has little to do at a time.
 */
export class TextCache {
  readonly #read: (id: bigint) => string | undefined;
  /** For each slot the id that has it, and the id that was missed last. Side by side, both come with one look at the memory. */
  readonly #ids = new Float64Array(2 * SLOTS);
  readonly #texts: (string | undefined)[] = Array(SLOTS);
  #alterations = -1;

  /** @param read Reads the text of a pet; `undefined` if there is none. */
  constructor(read: (id: bigint) => string | undefined) {
    this.#read = read;
  }

  /** @param alterations The counter of the store, which was read before. */
  get(id: bigint, alterations: number): string | undefined {
    if (alterations !== this.#alterations) this.#clear(alterations);
    const number = Number(id);
    const slot = number & (SLOTS - 1), kept = 2 * slot, missed = kept + 1;
    if (this.#ids[kept] === number) return this.#texts[slot];
    const text = this.#read(id);
    // Beyond 2^53, several ids have one number.
    if (text === undefined || !Number.isSafeInteger(number)) return text;
    if (this.#ids[missed] === number || this.#ids[kept] === 0) {
      this.#ids[kept] = number;
      this.#texts[slot] = text;
    }
    this.#ids[missed] = number;
    return text;
  }

  #clear(alterations: number): void {
    this.#alterations = alterations;
    this.#ids.fill(0);
    this.#texts.fill(undefined);
  }
}
