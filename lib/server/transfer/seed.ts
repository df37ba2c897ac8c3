import type { PetImporter } from "../../stores/pet_importer.ts";
import type { PetStore } from "../../stores/store.ts";
import { explain } from "../process/start_error.ts";
import { digestOf } from "./import_records.ts";
import { samplePet } from "./sample_pets.ts";

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
