/** Reads pets with exact numbers, and checks that they have the shape of section 2 of the specification. */

import type { PetStatus } from "@petstore/petstore";
import type { ApiResponse, SeenResponse } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { parseExact } from "./exact_json.ts";
import { STATUSES } from "../pet_values.ts";

/** A pet of a response. It may have no status, and may have other members, which are left out. */
export interface ExactPet {
  id: bigint;
  name: string;
  categoryId: bigint;
  status?: PetStatus | undefined;
}

function asPet(value: unknown, text: string): ExactPet {
  const { id, name, categoryId, status } = (value ?? {}) as ExactPet;
  const isPet = typeof id === "bigint" && typeof name === "string" && typeof categoryId === "bigint" &&
    (status === undefined || STATUSES.includes(status));
  assert.ok(isPet, `A pet must have an int64 id, a name, an int64 categoryId and one of the three statuses: ${text}`);
  return { id, name, categoryId, status };
}

/** Reads the pet of a response, which must have this status. */
export function petOf({ status, text }: SeenResponse, expected = 200): ExactPet {
  assertStatus({ status }, expected, "a request for a pet");
  return asPet(parseExact(text), text);
}

/** Reads the pets of a list. */
export function petsOf({ status, text }: SeenResponse): ExactPet[] {
  assertStatus({ status }, 200, "a request for a list");
  const list = parseExact(text);
  assert.ok(Array.isArray(list), `A list must be an array, not ${text}`);
  return list.map((value) => asPet(value, text));
}

export function idsOf(response: SeenResponse): bigint[] {
  return petsOf(response).map(({ id }) => id);
}

/** Throws unless the media type is that of JSON. */
export function assertJson({ headers }: SeenResponse): void {
  const type = headers.get("content-type") ?? "missing";
  assert.match(type, /^application\/json *(;|$)/i, "The Content-Type must be application/json");
}

/** Throws unless the response has the Error body of section 2, as section 7 says. */
export function assertError(response: ApiResponse): void {
  assertJson(response);
  const { code, message, status } = (response.json ?? {}) as Record<string, unknown>;
  const isError = typeof code === "string" && typeof message === "string" && status === response.status;
  assert.ok(isError, `An error must have a code, a message and the status of the response: ${response.text}`);
}

/** The target of the link with this relation, which may be relative. */
export function linkTo({ headers }: SeenResponse, relation: string): string | undefined {
  const link = new RegExp(`<([^>]*)>[^<]*;\\s*rel\\s*=\\s*"?([^";,]* )?${relation}\\b`, "i");
  return link.exec(headers.get("link") ?? "")?.[1];
}
