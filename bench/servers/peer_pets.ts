/**
 * The pets of the peers: an array of objects, in which a search finds a page and stops as soon as it is full, or the SQLite file
 * of peer_table.ts.
 */

import type { PetStatus } from "../../mod.ts";
import { type BenchPet, petAt } from "../catalogue.ts";

/** Of the process of a peer. */
export interface PeerSettings {
  /** Pets in the catalogue. */
  pets: number;
  /** The database file; without one, pets are in memory. */
  path?: string;
}

/** A pet, with its members in the order of the petstore's JSON. */
export interface PeerPet {
  id: number;
  name: string;
  categoryId: number;
  status: PetStatus;
}

/** A query; frameworks may pass `undefined` for a missing parameter. */
export interface PeerQuery {
  limit: number;
  status?: PetStatus | undefined;
  cursor?: string | undefined;
}

/** A page, and the value of its Link header unless it is the last. */
export interface PeerPage {
  page: PeerPet[];
  link: string | undefined;
}

/** The operations of the peers. */
export interface PeerPets {
  create(pet: BenchPet): PeerPet;
  get(id: number): PeerPet | undefined;
  list(query: PeerQuery): PeerPage;
}

export async function openPeerPets({ pets, path }: PeerSettings): Promise<PeerPets> {
  // Imported only if used: Bun has no node:sqlite.
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

/** The id after which a page begins. */
export function positionOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : Number(atob(cursor).slice("after:".length));
}

/** The value of Link for the page after an id. */
export function linkTo(after: number, limit: number, status: PetStatus | undefined): string {
  const filter = status === undefined ? "" : `&status=${status}`;
  const cursor = btoa(`after:${after}`).replaceAll("=", "");
  return `</v1/pets?limit=${limit}${filter}&cursor=${cursor}>; rel="next"`;
}
