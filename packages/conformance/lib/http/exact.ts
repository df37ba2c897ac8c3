/** Reads pets with exact numbers, and checks that they have the shape of section 2 of the specification. */

import { parseInt64 } from "../json.ts";
import type { PetStatus } from "@petstore/petstore/store";
import type { ApiResponse, SeenResponse } from "./api.ts";
import { asJson, assert, assertStatus, parseJson } from "./assert.ts";
import { STATUSES } from "../pet_values.ts";

/**
 * The name and the category of pets that a server must refuse, or may store in another form. A server that is wrong lists them from
 * then on, so lists are judged by other pets: the next run must not depend on what this one leaves.
 */
export const ODD_NAME = "Oddrexofaconformancetest";
export const ODD_CATEGORY = 73_197_311;

/** Whether a listed value is such a pet. The name may stand in another member, such as `title`, which the server stored as it came. */
export function isOdd(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { name, categoryId } = value as Record<string, unknown>;
  const hasNeither = name === undefined && categoryId === undefined;
  const isNamed = Object.values(value).some((member) => String(member).includes(ODD_NAME));
  return hasNeither || isNamed || String(categoryId) === String(ODD_CATEGORY);
}

/** A pet of a response. */
export interface ExactPet {
  id: bigint;
  name: string;
  categoryId: bigint;
  status?: PetStatus;
}

/** Parses JSON, and reads its int64 members as bigint. */
export function parseExact(text: string): unknown {
  return parseJson(text, (name, value, context) => {
    if (typeof value !== "number" || (name !== "id" && name !== "categoryId")) return value;
    return parseInt64(context?.source ?? String(value)) ?? value;
  });
}

function asPet(value: unknown): ExactPet {
  const shown = asJson(value);
  assert.ok(typeof value === "object" && value !== null, `A pet must be an object, not ${shown}`);
  const { id, name, categoryId, status } = value as Record<string, unknown>;
  assert.ok(typeof id === "bigint", `The id of a pet must be an int64: ${shown}`);
  assert.ok(typeof name === "string", `The name of a pet must be a string: ${shown}`);
  assert.ok(typeof categoryId === "bigint", `The categoryId of a pet must be an int64: ${shown}`);
  assert.ok(
    status === undefined || STATUSES.includes(status as PetStatus),
    `The status of a pet must be one of the three: ${shown}`,
  );
  return value as ExactPet;
}

/** Throws unless the media type is that of JSON, and no object has a member twice: readers differ in which one they take. */
export function assertJson({ headers, text }: SeenResponse): void {
  const type = headers.get("content-type");
  assert.ok(type !== null, "There is no Content-Type, which must be application/json");
  assert.match(type, /^application\/json *(;|$)/i, "The Content-Type must be application/json");
  const members: Set<string>[] = [];
  for (const [token, name] of text.matchAll(/[{}]|("(?:[^"\\]|\\.)*")(?:\s*:)?/g)) {
    if (token === "{") members.push(new Set());
    else if (token === "}") members.pop();
    else if (token.endsWith(":")) {
      assert.ok(!members.at(-1)?.has(name!), `An object has the member ${name} twice: ${text}`);
      members.at(-1)?.add(name!);
    }
  }
}

/** Reads the pet of a response, which must have this status. */
export function petOf(response: SeenResponse, status = 200): ExactPet {
  assertStatus(response, status);
  return asPet(parseExact(response.text));
}

/** The largest `limit` of a list. */
const MOST_LISTED = 100;

/** Reads the pets of a list. */
export function petsOf(response: SeenResponse): ExactPet[] {
  assertStatus(response, 200);
  const list = parseExact(response.text);
  assert.ok(Array.isArray(list), `A list must be an array, not ${asJson(list)}`);
  assert.ok(list.length <= MOST_LISTED, `A list must have at most ${MOST_LISTED} pets, not ${list.length}`);
  // If a server lists no other pets, the list is judged by these.
  const areOdd = list.every(isOdd);
  return list.map((value) => !areOdd && isOdd(value) ? value : asPet(value));
}

export function idsOf(response: SeenResponse): bigint[] {
  return petsOf(response).map(({ id }) => id);
}

/** Throws unless the response has the Error body of section 2, as section 7 says. */
export function assertError(response: ApiResponse): void {
  assertJson(response);
  const { json, status, text } = response;
  assert.ok(typeof json === "object" && json !== null, `An error must be an object, not ${text}`);
  const { code, message, status: told } = json as Record<string, unknown>;
  assert.equal(typeof code, "string", "The code of an error must be a string");
  assert.equal(typeof message, "string", "The message of an error must be a string");
  assert.equal(told, status, "The status of an error must be that of the response");
}
