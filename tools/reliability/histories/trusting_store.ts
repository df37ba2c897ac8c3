/** A control: a store with a defect that histories must find. */

import { type PetStore, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { openPool } from "./postgres.ts";

/** Repeats a create whose connection was lost, as a pool that retries does. The first one may have been stored. */
export async function createTrustingStore(url: string): Promise<PetStore> {
  const store = await openPool(url, false);
  const { create } = store;
  return Object.assign(store, {
    async create(pet: Parameters<PetStore["create"]>[0]) {
      try {
        return await create.call(store, pet);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        return await create.call(store, pet);
      }
    },
  });
}
