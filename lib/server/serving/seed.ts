/** Adds sample pets for `--seed`. They are the same at every start, so that a client's tests can name them. */

import { createMemoryStore } from "../../stores/memory/memory_store.ts";
import type { PetDraft, PetStore } from "../../stores/store.ts";
import { explain } from "../process/start_error.ts";
import type { PetStatus } from "../../pet.ts";

/** How many pets are created at the same time. */
const CREATES_AT_ONCE = 1_000;

/**
 * How long a store remembers the requests that created sample pets, in milliseconds: much longer
 * than servers that start at the same moment differ in their progress.
 */
const RETENTION_TIME = 600_000;

/**
 * Adds sample pets to a store that has no pets. Each is added once, even if several servers start
 * at the same moment.
 *
 * @returns A line for the operator.
 */
export async function seed(store: PetStore, count: number): Promise<string> {
  try {
    const { json } = await store.list({ after: 0n, limit: 1 });
    if (json !== "[]") return "the store has pets, so no sample pets are added";
    let added = 0;
    for (let start = 0; start < count; start += CREATES_AT_ONCE) {
      const length = Math.min(CREATES_AT_ONCE, count - start);
      const areAdded = await Promise.all(Array.from({ length }, (_, i) => addSample(store, start + i)));
      added += areAdded.filter(Boolean).length;
    }
    return added === 1 ? "1 sample pet is added" : `${added} sample pets are added`;
  } catch (error) {
    throw explain("The sample pets cannot be added", error);
  }
}

/** Creates a store in memory that has its sample pets already. */
export function createSeededStore(count: number): PetStore {
  const store = createMemoryStore();
  for (let number = 0; number < count; number++) store.create(samplePet(number));
  return store;
}

/** @returns Whether this call has added the pet. */
async function addSample(store: PetStore, number: number): Promise<boolean> {
  const key = `petstore-seed-${String(number).padStart(8, "0")}`;
  // Every store that a server opens has this method.
  const { outcome } = await store.createOnce!(samplePet(number), {
    key,
    fingerprint: key,
    retentionMs: RETENTION_TIME,
  });
  return outcome === "created";
}

const NAMES = (
  "Bella Max Luna Charlie Lucy Cooper Daisy Milo Sadie Rocky Molly Bear Maggie Duke Sophie Tucker Chloe Jack " +
  "Penny Toby Zoey Oliver Rosie Leo Nala Oscar Stella Finn Gracie Louie Ruby Simba Coco Jasper Hazel Felix " +
  "Willow Gizmo Pepper Ziggy Olive Loki Ginger Archie Poppy Mimi Biscuit Ivy Pickles Juniper Waffles " +
  "Zoë Mílo Łatka Søren Žofka André Íris Noël 咪咪 ポチ Мурка"
).split(" ");

/** The breeds of each category; the ids of the categories begin at 1. The first categories have more breeds. */
const CATEGORIES = [
  "Beagle,Labrador,Border Collie,Dachshund,Poodle,Corgi,Greyhound,Mongrel",
  "Tabby,Siamese,Maine Coon,Persian,Bengal,Calico,Sphynx",
  "Lop Rabbit,Angora Rabbit,Guinea Pig,Hamster,Ferret,Chinchilla",
  "Canary,Budgerigar,Cockatiel,Zebra Finch,African Grey",
  "Goldfish,Guppy,Betta,Angelfish,Koi",
  "Leopard Gecko,Corn Snake,Tortoise,Chameleon",
];
const BREEDS = CATEGORIES.flatMap((breeds, i) =>
  breeds.split(",").map((breed) => ({ breed, categoryId: BigInt(i + 1) }))
);

/** The statuses of 17 pets, among which each status is as frequent as among all. */
const STATUSES: PetStatus[] = [...Array(11).fill("available"), ...Array(3).fill("pending"), ...Array(3).fill("sold")];

/**
 * The sample pet of a number, on which it depends alone. The lengths of the three lists have no
 * common divisors, nor has a length one with its factor below, so all combinations of breed, name
 * and status occur.
 */
export function samplePet(number: number): PetDraft {
  const { breed, categoryId } = BREEDS[number * 11 % BREEDS.length]!;
  const name = NAMES[number * 7 % NAMES.length];
  return { name: `${name} the ${breed}`, categoryId, status: STATUSES[number * 3 % STATUSES.length]! };
}
