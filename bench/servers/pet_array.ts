/** The pets of the peers: an array of objects. A page is found by a search that stops as soon as it is full. */

import type { PetStatus } from "../../mod.ts";
import { type BenchPet, petAt } from "../catalogue.ts";

/** A pet, with its members in the order of the petstore's JSON. */
export interface ArrayPet {
  id: number;
  name: string;
  categoryId: number;
  status: PetStatus;
}

/** A query; frameworks may pass `undefined` for a missing parameter. */
export interface ArrayQuery {
  limit: number;
  status?: PetStatus | undefined;
  cursor?: string | undefined;
}

/** A page, and the value of its Link header unless it is the last. */
export interface ArrayPage {
  page: ArrayPet[];
  link: string | undefined;
}

/** The operations of the peers. */
export interface PetArray {
  create(pet: BenchPet): ArrayPet;
  get(id: number): ArrayPet | undefined;
  list(query: ArrayQuery): ArrayPage;
}

/** Creates an array with this number of pets. */
export function createPetArray(size: number): PetArray {
  const pets = Array.from({ length: size }, (_, i): ArrayPet => ({ id: i + 1, ...petAt(i + 1) }));
  return {
    create({ name, categoryId, status }) {
      const pet = { id: pets.length + 1, name, categoryId, status };
      pets.push(pet);
      return pet;
    },
    get: (id) => pets[id - 1],
    list({ limit, status, cursor }) {
      const page: ArrayPet[] = [];
      let index = cursor === undefined ? 0 : Number(atob(cursor).slice("after:".length));
      for (; index < pets.length && page.length < limit; index++) {
        const pet = pets[index];
        if (pet && (status === undefined || pet.status === status)) page.push(pet);
      }
      const last = page.at(-1);
      return { page, link: last && index < pets.length ? linkTo(last.id, limit, status) : undefined };
    },
  };
}

function linkTo(after: number, limit: number, status: PetStatus | undefined): string {
  const filter = status === undefined ? "" : `&status=${status}`;
  const cursor = btoa(`after:${after}`).replaceAll("=", "");
  return `</v1/pets?limit=${limit}${filter}&cursor=${cursor}>; rel="next"`;
}
