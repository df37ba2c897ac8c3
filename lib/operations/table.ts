/** The operations. A new one is added to both lists, and is then served, described and fuzzed. */

import { createPet, describeCreatePet } from "./create_pet.ts";
import type { Definition, Describe } from "./definition.ts";
import { describeGetPet, getPet } from "./get_pet.ts";
import { describeListPets, listPets } from "./list_pets.ts";
import { describeListStoreOrders, listStoreOrders } from "./list_store_orders.ts";

export const OPERATIONS: readonly Definition[] = [listPets, createPet, getPet, listStoreOrders];

/**
 * The same operations with their descriptions. This is a list of its own, so that a bundle which
 * describes nothing leaves the descriptions out.
 */
export const DESCRIBED_OPERATIONS: readonly (readonly [Definition, Describe])[] = [
  [listPets, describeListPets],
  [createPet, describeCreatePet],
  [getPet, describeGetPet],
  [listStoreOrders, describeListStoreOrders],
];
