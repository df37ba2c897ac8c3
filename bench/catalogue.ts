/** The pets of every contender, computed so that each process can create them itself. */

import type { PetStatus } from "../mod.ts";

/** The pets in the catalogue of the throughput cases. */
export const CATALOGUE_SIZE = 100_000;

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

const STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const NAME_LENGTH = 12;

/** The pet with this id: a name of twelve letters, one of a thousand categories, a third of all pets in each status. */
export function petAt(id: number): BenchPet {
  const mixed = mix(id);
  return { name: nameOf(mixed), categoryId: mixed % 1000, status: STATUSES[(mixed >>> 10) % 3] ?? "available" };
}

function nameOf(seed: number): string {
  let name = "";
  for (let i = 0, rest = seed; i < NAME_LENGTH; i++) {
    name += LETTERS[rest % LETTERS.length];
    rest = i === 5 ? mix(seed) : Math.trunc(rest / LETTERS.length);
  }
  return name;
}

/** A pseudo-random number, the same in every run (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The pets of servers that are started anew for each round: more than the petstore keeps responses of. */
export const MOST_PETS = 20_000;
