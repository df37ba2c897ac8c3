/** The pets of every contender, computed so that each process can create them itself, and the requests for them. */

import type { PetStatus } from "../mod.ts";

export const KEY = "pk_benchmark_0123456789abcdef";

/** The Authorization header with that key. */
export const AUTHORIZATION = `Bearer ${KEY}`;

/** The body of every POST. */
export const NEW_PET = '{"name":"Bartholomew","categoryId":7,"status":"pending"}';

/** As wrk, it asks for no compression. */
const HEADERS = { authorization: AUTHORIZATION, "accept-encoding": "identity", "content-type": "application/json" };

/** A POST if it has a body, and else a GET. */
export function requestTo(url: string, body?: string): Request {
  return new Request(url, body ? { method: "POST", headers: HEADERS, body } : { headers: HEADERS });
}

/** A pet without an id. Its numbers are safe for peers without int64. */
export interface BenchPet {
  name: string;
  categoryId: number;
  status: PetStatus;
}

const STATUSES = ["available", "pending", "sold"] as const;

/** The pet with this id, in one of a thousand categories. A third of all pets are in each status. */
export function petAt(id: number): BenchPet {
  return { name: `Bartholomew ${id}`, categoryId: id % 1000, status: STATUSES[id % 3]! };
}
