/** One entry of the HTTP contract, which holds on every store and every host. */

import type { ErrorBody, PetstoreOptions } from "@petstore/petstore";
import type { Api, ApiResponse } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";

/**
 * Who makes a promise: the specification, `petstore-spec.md`, or this project in full, which settles what the
 * specification leaves open.
 */
export type Level = "specification" | "full";

/** The part of the contract to which a case belongs. */
export interface Topic {
  /** The part of the interface, such as `pets.list`. */
  area: string;
  /** Who promises it. */
  level: Level;
  /** The sentence that the case holds the petstore to. */
  promise: string;
}

export interface HttpCase extends Topic {
  /** The rest of a sentence that starts with "the petstore". */
  name: string;
  /** The options that the petstore needs. A server that is known by its address alone cannot be given any. */
  options?: Partial<PetstoreOptions>;
  /** Whether a store can make the case fail, by what it keeps. The others have the same outcome on every store. */
  dependsOn?: "store" | undefined;
  /** Runs the case. It may find pets in the catalogue, and may leave some. */
  run(api: Api): Promise<void>;
}

type CaseParts = Omit<HttpCase, "name" | "run">;

/** Makes cases from functions, which are listed by name. */
export function cases(parts: CaseParts, runs: Record<string, HttpCase["run"]>): HttpCase[] {
  return Object.entries(runs).map(([name, run]) => ({ ...parts, name, run }));
}

/**
 * What the specification says.
 *
 * @param promise With its section.
 */
export function says(area: string, promise: string, dependsOn?: "store"): CaseParts {
  return { area, level: "specification", promise, dependsOn };
}

/** What this project promises beyond the specification. */
export function addition(area: string, promise: string, dependsOn?: "store"): CaseParts {
  return { area, level: "full", promise, dependsOn };
}

/** Thrown to end a case that the settings of the petstore, or its catalogue, make impossible. */
export class NotApplicable extends Error {
  override name = "NotApplicable";
}

/** Describes what a response must be. A header field that is `null` must be absent. */
export interface Expected {
  status: number;
  /** The code of the error. Without it, the response must be no error. */
  code?: ErrorBody["code"];
  /** A pattern for the message. Other petstores have words of their own, so no published case has one. */
  message?: RegExp;
  headers?: Readonly<Record<string, string | null>>;
}

/**
 * Throws unless a response is as expected. An error must have exactly its three members, and a type that no browser guesses.
 *
 * @param request Describes the request, for the message of a failure.
 */
export function assertResponse(response: ApiResponse, expected: Expected, request = "a request"): void {
  const { headers, error } = response;
  const shown = request.slice(0, 80);
  const of = `of the response to ${shown}`;
  assertStatus(response, expected.status, shown);
  assert.equal(error?.code, expected.code, `The code ${of}`);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    assert.equal(headers.get(name), value, `The field ${name} ${of}`);
  }
  if (!expected.code) return;
  assert.equal(Object.keys(error).sort(), ["code", "message", "status"], `The members ${of}`);
  assert.equal(headers.get("x-content-type-options"), "nosniff", `The field X-Content-Type-Options ${of}`);
  const { message = /^/ } = expected;
  assert.match(error.message, message, `The message ${of} must match ${message}`);
}
