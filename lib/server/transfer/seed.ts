import type { PetDraft, PetStore } from "../../stores/store.ts";
import { explain } from "../process/start_error.ts";
import type { PetStatus } from "../../pet.ts";

/** How many creates are made at once. */
const CHUNK = 1_000;

/** Adds sample pets to a store that has none. */
export async function seed(store: PetStore, count: number): Promise<string> {
  try {
    const { json } = await store.list({ after: 0n, limit: 1 });
    if (json !== "[]") return "the store has pets, so no sample pets are added";
    for (let start = 0; start < count; start += CHUNK) {
      const length = Math.min(CHUNK, count - start);
      await Promise.all(Array.from({ length }, (_, i) => store.create(samplePet(start + i))));
    }
    return count === 1 ? "1 sample pet is added" : `${count} sample pets are added`;
  } catch (error) {
    throw explain("The sample pets cannot be added", error);
  }
}

const NAMES = (
  "Bella Max Luna Charlie Lucy Cooper Daisy Milo Sadie Rocky Molly Bear Maggie Duke Sophie Tucker Chloe Jack " +
  "Penny Toby Zoey Oliver Rosie Leo Nala Oscar Stella Finn Gracie Louie Ruby Simba Coco Jasper Hazel Felix " +
  "Willow Gizmo Pepper Ziggy Olive Loki Ginger Archie Poppy Otis Mimi Biscuit Ivy Pickles Juniper Waffles " +
  "Zoë Mílo Łatka Søren Žofka André Íris Noël 咪咪 ポチ Мурка"
).split(" ");

/** By category, from 1. The first categories have more pets. */
const CATEGORIES: readonly (readonly string[])[] = [
  ["Beagle", "Labrador", "Border Collie", "Dachshund", "Poodle", "Corgi", "Greyhound", "Mongrel"],
  ["Tabby", "Siamese", "Maine Coon", "Persian", "Bengal", "Calico", "Sphynx"],
  ["Lop Rabbit", "Angora Rabbit", "Guinea Pig", "Hamster", "Ferret", "Chinchilla"],
  ["Canary", "Budgerigar", "Cockatiel", "Zebra Finch", "African Grey"],
  ["Goldfish", "Guppy", "Betta", "Angelfish", "Koi"],
  ["Leopard Gecko", "Corn Snake", "Tortoise", "Chameleon"],
];

/** Pets of each hundred that are available, and those that are available or pending. */
const AVAILABLE = 65, NOT_SOLD = 82;

/** Depends on the number alone. */
export function samplePet(number: number): PetDraft {
  const name = pick(NAMES, pseudorandom(number, 1));
  // The smaller of two, so that the first categories have more.
  const indexes = [2, 3].map((seed) => Math.floor(pseudorandom(number, seed) * CATEGORIES.length));
  const category = Math.min(...indexes);
  const breed = pick(CATEGORIES[category]!, pseudorandom(number, 4));
  return { name: `${name} the ${breed}`, categoryId: BigInt(category + 1), status: statusOf(pseudorandom(number, 5)) };
}

function statusOf(share: number): PetStatus {
  const percent = 100 * share;
  return percent < AVAILABLE ? "available" : percent < NOT_SOLD ? "pending" : "sold";
}

function pick<T>(items: readonly T[], share: number): T {
  return items[Math.floor(share * items.length)]!;
}

/** A pseudorandom number from 0 to below 1 (the finalizer of MurmurHash3). */
function pseudorandom(number: number, seed: number): number {
  let hash = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca77);
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return ((hash ^ hash >>> 16) >>> 0) / 2 ** 32;
}
