/** What a response must be, and the pets in it, whose numbers are read exactly. */

import type { ErrorBody, PetStatus } from "@petstore/petstore";
import type { ApiResponse } from "./api.ts";
import * as assert from "./assert.ts";
import { STATUSES } from "../pet_values.ts";

/** What else a response must have. */
export interface Expected {
  /** A pattern for the message. Other petstores have words of their own, so no published case has one. */
  message?: RegExp;
  /** Header fields. One that is `null` must be absent. */
  headers?: Readonly<Record<string, string | null>>;
}

/**
 * Throws unless a response has this status, and, if a code is given, is an error with this code.
 * Such an error must have exactly its three members, and a type that no browser guesses.
 */
export function assertResponse(
  response: ApiResponse,
  status: number,
  code?: ErrorBody["code"],
  { message = /^/, headers = {} }: Expected = {},
): void {
  const where = ` in the response to ${response.request}`;
  assert.equal(response.status, status, "The status", where);
  const fields = code === undefined ? headers : { "x-content-type-options": "nosniff", ...headers };
  for (const [name, value] of Object.entries(fields)) {
    assert.equal(response.headers.get(name), value, `The field ${name}`, where);
  }
  if (code === undefined) return;
  const error = assertError(response);
  const members = ["code", "message", "status"];
  assert.equal([error.code, Object.keys(error).sort()], [code, members], "The code and the members", where);
  assert.match(error.message, message, `The message must match ${message}`);
}

/** Throws unless the media type is that of JSON. */
export function assertJson({ headers }: ApiResponse): void {
  const type = headers.get("content-type") ?? "missing";
  assert.match(type, /^application\/json *(;|$)/i, "The Content-Type must be application/json");
}

/** Returns the Error body of section 2, which the response must have, as section 7 says. */
export function assertError(response: ApiResponse): ErrorBody {
  assertJson(response);
  const error = (parseExact(response.text) ?? {}) as ErrorBody;
  const isError = typeof error.code === "string" && typeof error.message === "string" &&
    error.status === response.status;
  assert.ok(isError, `An error must have a code, a message and the status of the response: ${response.text}`);
  return error;
}

/** A pet of a response. It may have no status, and may have other members, which are left out. */
export interface ExactPet {
  id: bigint;
  name: string;
  categoryId: bigint;
  status?: PetStatus | undefined;
}

/** Reads the pet of a response, which must have this status. */
export function petOf(response: ApiResponse, status = 200): ExactPet {
  assertResponse(response, status);
  return asPet(parseExact(response.text), response.text);
}

/** Reads the pets of a list. */
export function petsOf(response: ApiResponse): ExactPet[] {
  assertResponse(response, 200);
  const list = parseExact(response.text);
  assert.ok(Array.isArray(list), `A list must be an array, not ${response.text}`);
  return list.map((value) => asPet(value, response.text));
}

export function idsOf(response: ApiResponse): bigint[] {
  return petsOf(response).map(({ id }) => id);
}

/** Checks that a value has the shape of a pet in section 2 of the specification. */
function asPet(value: unknown, text: string): ExactPet {
  const { id, name, categoryId, status } = (value ?? {}) as ExactPet;
  const isPet = typeof id === "bigint" && typeof name === "string" && typeof categoryId === "bigint" &&
    (status === undefined || STATUSES.includes(status));
  assert.ok(isPet, `A pet must have an int64 id, a name, an int64 categoryId and one of the three statuses: ${text}`);
  return { id, name, categoryId, status };
}

/**
 * Parses JSON, and reads its int64 members as bigint, because `JSON.parse()` would round them. The
 * message of a failure has the whole text, while that of an engine has a part.
 */
function parseExact(text: string): unknown {
  try {
    return JSON.parse(text, (name: string, value: unknown, context?: { source: string }) => {
      if (typeof value !== "number" || (name !== "id" && name !== "categoryId")) return value;
      return parseInt64(context?.source ?? String(value)) ?? value;
    });
  } catch {
    assert.ok(false, `The body must be JSON, not ${text}`);
  }
}

/** The value of a JSON number such as `7` or `7.0`; `undefined` if it is not whole or not an int64. */
function parseInt64(source: string): bigint | undefined {
  const [, digits] = /^(-?\d+)(?:\.0+)?$/.exec(source) ?? [];
  if (digits === undefined) return undefined;
  const value = BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** The target of the link with this relation, which may be relative. */
export function linkTo({ headers }: ApiResponse, relation: string): string | undefined {
  const link = new RegExp(`<([^>]*)>[^<]*;\\s*rel\\s*=\\s*"?([^";,]* )?${relation}\\b`, "i");
  return link.exec(headers.get("link") ?? "")?.[1];
}
