/** Fills a store through its `create`, in batches that an SQLite store commits together. */

import type { PetStore } from "../lib/stores/store.ts";
import { petAt } from "./catalogue.ts";

const BATCH = 20_000;

/** Adds the first pets of the catalogue, in this number, to an empty store. */
export async function fillStore(store: PetStore, count: number): Promise<void> {
  for (let start = 1; start <= count; start += BATCH) {
    const creates: Promise<bigint>[] = [];
    for (let id = start; id < start + BATCH && id <= count; id++) {
      const { name, categoryId, status } = petAt(id);
      creates.push(Promise.resolve(store.create({ name, categoryId: BigInt(categoryId), status })));
    }
    await Promise.all(creates);
  }
}
