/** The pets and pages of the peers, and their links. */

import type { PetStatus } from "../../mod.ts";
import type { BenchPet } from "../catalogue.ts";

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

/** The id after which a page begins. */
export function positionOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : Number(atob(cursor).slice("after:".length));
}

/** The value of Link for the page after an id. */
export function linkTo(after: number, limit: number, status: string | undefined): string {
  const filter = status === undefined ? "" : `&status=${status}`;
  const cursor = btoa(`after:${after}`).replaceAll("=", "");
  return `</v1/pets?limit=${limit}${filter}&cursor=${cursor}>; rel="next"`;
}
