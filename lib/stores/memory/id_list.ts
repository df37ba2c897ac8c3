const CHUNK_SHIFT = 12;
const CHUNK_SIZE = 1 << CHUNK_SHIFT;
const CHUNK_MASK = CHUNK_SIZE - 1;

/** A list of ascending numbers, four bytes each. It is stored in chunks, so that growing copies nothing. */
export class IdList {
  readonly #chunks: Uint32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @param id Must be greater than all numbers in the list. */
  push(id: number): void {
    const index = this.#length & CHUNK_MASK;
    if (index === 0) this.#chunks.push(new Uint32Array(CHUNK_SIZE));
    this.#chunks[this.#chunks.length - 1]![index] = id;
    this.#length++;
  }

  at(index: number): number {
    return this.#chunks[index >>> CHUNK_SHIFT]![index & CHUNK_MASK]!;
  }

  /** The index of the first number greater than `id`, found by bisection. */
  firstAbove(id: number): number {
    let low = 0, high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) > id) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
