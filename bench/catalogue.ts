/** The pets that every contender holds, computed so that each process can make them for itself. */

import type { PetStatus } from "../mod.ts";

/** The pets in the catalogue of the throughput cases. */
export const CATALOGUE_SIZE = 100_000;

/** The valid API key. */
export const KEY = "pk_benchmark_0123456789abcdef";

/** The header that carries it. */
export const AUTHORIZATION = `Bearer ${KEY}`;

/** The body of every POST. */
export const NEW_PET = '{"name":"Bartholomew","categoryId":7,"status":"pending"}';

/** A pet before a store has it. Its numbers are small enough for a peer that knows no int64. */
export interface BenchPet {
  name: string;
  categoryId: number;
  status: PetStatus;
}

const STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const NAME_LENGTH = 12;

/** The pet that gets this id: twelve letters, one of a thousand categories, a third of all pets in each status. */
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

/** A number that looks random and is the same in every run (the finish of MurmurHash3). */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** `count` different whole numbers from `low` to `high`, the same in every run, in random order. */
export function sample(count: number, low: number, high: number): number[] {
  const chosen = new Set<number>();
  for (let i = 1; chosen.size < Math.min(count, high - low + 1); i++) chosen.add(low + mix(i) % (high - low + 1));
  return [...chosen];
}

/** How many pets of a large catalogue have the rare status: of ten million, one in a million. */
const RARE = 10;

/** The pet that gets this id in a catalogue of `pets`, where `sold` is rare. */
export function scalePetAt(id: number, pets: number): BenchPet {
  const isRare = id % Math.trunc(pets / RARE) === 0;
  return { ...petAt(id), status: isRare ? "sold" : id % 2 === 0 ? "available" : "pending" };
}
