/** Fills a store through its `create`, in batches that an SQLite store commits together. */

import type { PetStore } from "../lib/stores/store.ts";
import { type BenchPet, petAt } from "./catalogue.ts";

const BATCH = 20_000;

/** Adds the pets from `from` to `to`. */
export async function fillStore(
  store: PetStore,
  to: number,
  from = 1,
  petOf: (id: number) => BenchPet = petAt,
): Promise<void> {
  for (let start = from; start <= to; start += BATCH) {
    const creates: Promise<bigint>[] = [];
    for (let id = start; id < start + BATCH && id <= to; id++) {
      const { name, categoryId, status } = petOf(id);
      creates.push(Promise.resolve(store.create({ name, categoryId: BigInt(categoryId), status })));
    }
    await Promise.all(creates);
  }
}
