/**
 * The pets of the peers: an array of objects, in which a search finds a page and stops as soon as it is full, or the SQLite file
 * of peer_table.ts.
 */

import { petAt } from "../catalogue.ts";
import { linkTo, type PeerPet, type PeerPets, positionOf } from "./peer_pages.ts";

/** The settings of the process of a peer. */
export interface PeerSettings {
  /** Pets in the catalogue. */
  pets: number;
  /** The database file; without one, pets are in memory. */
  path?: string;
}

export async function openPeerPets({ pets, path }: PeerSettings): Promise<PeerPets> {
  // It is imported only if it is used, because it loads node:sqlite.
  return path === undefined ? createPetArray(pets) : (await import("./peer_table.ts")).openPeerTable(path, pets);
}

function createPetArray(size: number): PeerPets {
  const pets = Array.from({ length: size }, (_, i): PeerPet => ({ id: i + 1, ...petAt(i + 1) }));
  return {
    create({ name, categoryId, status }) {
      const pet = { id: pets.length + 1, name, categoryId, status };
      pets.push(pet);
      return pet;
    },
    get: (id) => pets[id - 1],
    list({ limit, status, cursor }) {
      const page: PeerPet[] = [];
      let index = positionOf(cursor);
      for (; index < pets.length && page.length < limit; index++) {
        const pet = pets[index];
        if (pet && (status === undefined || pet.status === status)) page.push(pet);
      }
      const last = page.at(-1);
      return { page, link: last && index < pets.length ? linkTo(last.id, limit, status) : undefined };
    },
  };
}
