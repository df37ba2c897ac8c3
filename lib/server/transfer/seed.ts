import type { PetImporter } from "../../stores/pet_importer.ts";
import type { PetDraft, PetStore } from "../../stores/store.ts";
import { explain } from "../process/start_error.ts";
import { digestOf } from "./import_records.ts";
import type { PetStatus } from "../../pet.ts";

const CHUNK = 10_000;

export async function seedMemory(store: PetStore, count: number): Promise<string> {
  for (let number = 0; number < count; number++) await store.create(samplePet(number));
  return describe(count);
}

/**
 * Fills a database, unless it has pets. The next start completes an interrupted one, and servers that start together
 * fill it once.
 */
export async function seedDatabase(importer: PetImporter, count: number): Promise<string> {
  try {
    return await seed(importer, count);
  } catch (error) {
    throw explain("The sample pets cannot be added", error);
  } finally {
    await importer.close();
  }
}

async function seed(importer: PetImporter, count: number): Promise<string> {
  let parent = digestOf(`petstore seed 1\n${count}`);
  const isNew = (await importer.followers(parent)).length === 0;
  if (isNew && !await importer.isEmpty()) return "the store has pets, so no sample pets are added";
  let added = 0;
  for (let start = 0; start < count; start += CHUNK) {
    const records = Math.min(CHUNK, count - start);
    const pets = Array.from({ length: records }, (_, i) => samplePet(start + i));
    const digest = digestOf(`${parent}\n${records}`);
    // Only this chunk can follow its parent. If it does already, nothing is added.
    if (await importer.add({ parent, digest, records, pets }, 0)) added += records;
    parent = digest;
  }
  return added === 0 ? `the ${count} sample pets were added before` : describe(added);
}

function describe(count: number): string {
  return count === 1 ? "1 sample pet is added" : `${count} sample pets are added`;
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
