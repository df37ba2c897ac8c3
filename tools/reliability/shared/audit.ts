/** Compares a server's pets with its acknowledgements. It uses HTTP alone and knows no store. */

import type { Pet } from "../../../mod.ts";
import { readCatalogue, readPet } from "./catalogue.ts";
import { type Create, type Journal, show } from "./journal.ts";
import { isSamePet } from "./pets.ts";
import type { Random } from "../../../tests/support/random.ts";

/**
 * Reads all pets and reports what is wrong: an acknowledged pet that is missing or changed, a pet that is stored twice
 * or that no client has sent, ids that do not ascend. It settles the outcome of creates without a response, so none may
 * be in progress.
 */
export async function auditAll(port: number, journal: Journal): Promise<Pet[]> {
  const pets = await readCatalogue(port);
  compare(pets, journal);
  journal.raiseFloor(pets.at(-1)?.id ?? 0n);
  return pets;
}

function compare(pets: readonly Pet[], journal: Journal): void {
  const found = new Map<Create, Pet>();
  const ids = new Set<bigint>();
  let last = 0n;
  for (const pet of pets) {
    if (ids.has(pet.id)) journal.report("doubled", `${show(pet)}: its id is there twice`);
    else if (pet.id <= last) journal.report("unordered", `${show(pet)}: listed after ${last}`);
    ids.add(pet.id);
    last = pet.id;
    const create = journal.find(pet.name);
    const other = create && found.get(create);
    if (!create) journal.report("half-stored", `${show(pet)}: no client has sent this name`);
    else if (!isSamePet(pet, create.pet)) journal.report("half-stored", `${show(pet)}: ${create.pet.body} was sent`);
    else if (other) journal.report("doubled", `${show(pet)}: it is there as ${other.id} too`);
    // The acknowledged one is the pet; another with its name is the double.
    if (create && (!other || pet.id === create.id)) found.set(create, pet);
  }
  settle(found, journal);
}

/** Looks for acknowledged pets and records the outcome of the other creates. */
function settle(found: ReadonlyMap<Create, Pet>, journal: Journal): void {
  for (const create of journal.creates()) {
    const pet = found.get(create);
    const { id, isAcknowledged } = create;
    if (isAcknowledged && (pet?.id !== id || !pet || !isSamePet(pet, create.pet))) {
      journal.report("lost", `Pet ${id} ${create.pet.body} was acknowledged, and there is ${pet ? show(pet) : "none"}`);
    } else if (!isAcknowledged) {
      if (id !== undefined && pet?.id !== id) journal.report("lost", `Pet ${id} ${create.pet.body} was there before`);
      create.id = pet?.id;
      create.isUncertain = false;
    }
  }
}

/** Compares the lists of each status, and some pets by id, with the list of all. */
async function auditOtherReads(port: number, pets: readonly Pet[], journal: Journal, random: Random): Promise<void> {
  for (const status of ["available", "pending", "sold"] as const) {
    const listed = (await readCatalogue(port, status)).map(show);
    const expected = pets.filter((pet) => pet.status === status).map(show);
    const at = expected.findIndex((pet, i) => pet !== listed[i]);
    if (at >= 0 || listed.length !== expected.length) {
      journal.report(
        "list",
        `status=${status} gives ${listed.length} pets of ${expected.length}; one is ${listed[at]}`,
      );
    }
  }
  for (let i = 0; i < 16 && pets.length > 0; i++) {
    const pet = random.pick(pets);
    const read = await readPet(port, pet.id);
    if (!read || show(read) !== show(pet)) {
      journal.report("list", `${show(pet)}: its id gives ${read ? show(read) : "none"}`);
    }
  }
}

export async function auditEnd(ports: readonly number[], journal: Journal, random: Random): Promise<void> {
  for (const { pet } of journal.unanswered()) journal.report("lost", `${pet.body} was never acknowledged`);
  for (const port of ports) {
    const pets = await auditAll(port, journal);
    await auditOtherReads(port, pets, journal, random);
  }
}
