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
  "Willow Gizmo Pepper Ziggy Olive Loki Ginger Archie Poppy Mimi Biscuit Ivy Pickles Juniper Waffles " +
  "Zoë Mílo Łatka Søren Žofka André Íris Noël 咪咪 ポチ Мурка"
).split(" ");

/** The breeds of each category. The first categories have more. */
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

/** Of each 17 pets. */
const STATUSES: PetStatus[] = [...Array(11).fill("available"), ...Array(3).fill("pending"), ...Array(3).fill("sold")];

/** Depends on the number alone. No two of the lengths and their steps have a common divisor, so all combinations occur. */
export function samplePet(number: number): PetDraft {
  const { breed, categoryId } = BREEDS[number * 11 % BREEDS.length]!;
  const name = NAMES[number * 7 % NAMES.length];
  return { name: `${name} the ${breed}`, categoryId, status: STATUSES[number * 3 % STATUSES.length]! };
}
