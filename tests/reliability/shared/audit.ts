/** Holds what a server has against what its clients were told. It asks by HTTP, and knows no store. */

import type { Pet } from "../../../mod.ts";
import { readCatalogue, readPet } from "./catalogue.ts";
import { type Create, type Ledger, show } from "./ledger.ts";
import { isSamePet } from "./pets.ts";
import type { Random } from "../../support/random.ts";

/**
 * Reads all pets and writes into the ledger what is wrong: an acknowledged pet that is not there as it was acknowledged, a
 * pet that is there twice, one that nobody has sent, ids that do not ascend. What became of creates without an answer is
 * known afterwards: their ids are written down, and the rest was not stored. So nothing may be under way any more.
 *
 * @returns All pets that there are.
 */
export async function auditAll(port: number, ledger: Ledger): Promise<Pet[]> {
  const pets = await readCatalogue(port);
  compare(pets, ledger);
  ledger.raiseFloor(pets.at(-1)?.id ?? 0n);
  return pets;
}

function compare(pets: readonly Pet[], ledger: Ledger): void {
  const found = new Map<Create, Pet>();
  const ids = new Set<bigint>();
  let last = 0n;
  for (const pet of pets) {
    if (ids.has(pet.id)) ledger.report("doubled", `${show(pet)}: its id is there twice`);
    else if (pet.id <= last) ledger.report("unordered", `${show(pet)}: listed after ${last}`);
    ids.add(pet.id);
    last = pet.id;
    const create = ledger.find(pet.name);
    const other = create && found.get(create);
    if (!create) ledger.report("half-stored", `${show(pet)}: no client has sent this name`);
    else if (!isSamePet(pet, create.pet)) ledger.report("half-stored", `${show(pet)}: ${create.pet.body} was sent`);
    else if (other) ledger.report("doubled", `${show(pet)}: it is there as ${other.id} too`);
    // The one that was acknowledged is the pet; any other of its name is the double.
    if (create && (!other || pet.id === create.id)) found.set(create, pet);
  }
  settle(found, ledger);
}

/** Looks for what was acknowledged, and writes down what became of the rest. */
function settle(found: ReadonlyMap<Create, Pet>, ledger: Ledger): void {
  for (const create of ledger.creates()) {
    const pet = found.get(create);
    const { id, isAcknowledged } = create;
    if (isAcknowledged && (pet?.id !== id || !pet || !isSamePet(pet, create.pet))) {
      ledger.report("lost", `Pet ${id} ${create.pet.body} was acknowledged, and there is ${pet ? show(pet) : "none"}`);
    } else if (!isAcknowledged) {
      if (id !== undefined && pet?.id !== id) ledger.report("lost", `Pet ${id} ${create.pet.body} was there before`);
      create.id = pet?.id;
      create.isUncertain = false;
    }
  }
}

/** Holds the lists of each status, and some pets asked for by their ids, against the list of all. */
async function auditOtherReads(
  port: number,
  pets: readonly Pet[],
  ledger: Ledger,
  random: Random,
): Promise<void> {
  for (const status of ["available", "pending", "sold"] as const) {
    const listed = (await readCatalogue(port, status)).map(show);
    const expected = pets.filter((pet) => pet.status === status).map(show);
    const at = expected.findIndex((pet, i) => pet !== listed[i]);
    if (at >= 0 || listed.length !== expected.length) {
      ledger.report("list", `status=${status} gives ${listed.length} pets of ${expected.length}; one is ${listed[at]}`);
    }
  }
  for (let i = 0; i < 16 && pets.length > 0; i++) {
    const pet = random.pick(pets);
    const read = await readPet(port, pet.id);
    if (!read || show(read) !== show(pet)) {
      ledger.report("list", `${show(pet)}: its id gives ${read ? show(read) : "none"}`);
    }
  }
}

/** What must hold when all creates have been asked for until they were acknowledged. */
export async function auditEnd(ports: readonly number[], ledger: Ledger, random: Random): Promise<void> {
  for (const { pet } of ledger.unanswered()) ledger.report("lost", `${pet.body} was never acknowledged`);
  for (const port of ports) {
    const pets = await auditAll(port, ledger);
    await auditOtherReads(port, pets, ledger, random);
  }
}
