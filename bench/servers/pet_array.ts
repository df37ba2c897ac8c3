/** The pets of the peers: an array of objects, searched only as far as a page needs. */

import type { PetStatus } from "../../mod.ts";
import { type BenchPet, petAt } from "../catalogue.ts";

/** A pet of the array. Its members are in the order in which the petstore writes them. */
export interface ArrayPet {
  id: number;
  name: string;
  categoryId: number;
  status: PetStatus;
}

/** Which page is wanted, with the members that a framework may say `undefined` for. */
export interface ArrayQuery {
  limit: number;
  status?: PetStatus | undefined;
  cursor?: string | undefined;
}

/** A page, and the value of its Link header if more follow. */
export interface ArrayPage {
  page: ArrayPet[];
  link: string | undefined;
}

/** What a peer can ask of it. */
export interface PetArray {
  create(pet: BenchPet): ArrayPet;
  get(id: number): ArrayPet | undefined;
  list(query: ArrayQuery): ArrayPage;
}

/** Makes an array of so many pets. */
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
