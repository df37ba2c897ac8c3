/** The pets of every contender, computed so that each process can create them itself. */

import type { PetStatus } from "../mod.ts";

export const KEY = "pk_benchmark_0123456789abcdef";

/** The Authorization header with that key. */
export const AUTHORIZATION = `Bearer ${KEY}`;

/** The body of every POST. */
export const NEW_PET = '{"name":"Bartholomew","categoryId":7,"status":"pending"}';

/** A pet without an id. Its numbers are safe for peers without int64. */
export interface BenchPet {
  name: string;
  categoryId: number;
  status: PetStatus;
}

const STATUSES = ["available", "pending", "sold"] as const;

/** The pet with this id, in one of a thousand categories. A third of all pets are in each status. */
export function petAt(id: number): BenchPet {
  return { name: `Bartholomew ${id}`, categoryId: id % 1000, status: STATUSES[id % 3]! };
}
