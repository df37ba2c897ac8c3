/** One entry of the HTTP contract, which holds on every store and every host. */

import assert from "node:assert/strict";
import type { ErrorBody, PetstoreOptions } from "../../../mod.ts";
import type { Api, ApiResponse, RequestBody } from "./api.ts";

/**
 * What can make a case fail, besides the library itself: the store, by what it keeps, or the host, by how it carries requests and
 * responses. The outcome of a case with neither is the same on every store and every host.
 */
export type Dependency = "store" | "host";

export interface HttpCase {
  /** The rest of a sentence that starts with "the petstore". */
  name: string;
  options?: Partial<PetstoreOptions>;
  /** What the case needs from its store. */
  needs?: readonly "createOnce"[];
  dependsOn?: readonly Dependency[];
  run(api: Api): Promise<void>;
}

type CaseParts = Omit<HttpCase, "name" | "run">;

export const ALONE: CaseParts = {};
export const ON_STORE: CaseParts = { dependsOn: ["store"] };
export const ON_HOST: CaseParts = { dependsOn: ["host"] };
export const ON_BOTH: CaseParts = { dependsOn: ["store", "host"] };

/** Makes cases from functions, which are listed by name. */
export function cases(parts: CaseParts, runs: Record<string, HttpCase["run"]>): HttpCase[] {
  return Object.entries(runs).map(([name, run]) => ({ ...parts, name, run }));
}

/** What a response must be. A header field that is `null` must be absent. */
export interface Expected {
  status: number;
  /** Of the error. Without it, the response must be no error. */
  code?: ErrorBody["code"];
  message?: RegExp;
  headers?: Readonly<Record<string, string | null>>;
}

/** @param request Describes the request, for the message of a failure. */
export function assertResponse(response: ApiResponse, expected: Expected, request = ""): void {
  const { status, headers, error } = response;
  const sent = request.slice(0, 80);
  assert.deepEqual([status, error?.code], [expected.status, expected.code], sent);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    assert.equal(headers.get(name), value, `${name} ${sent}`);
  }
  if (expected.message) assert.match(error.message, expected.message, sent);
  if (expected.code) assert.ok(error.message.length < 800, `The message is as long as the request ${sent}`);
}

/** A create with a body that was written by hand. */
export function postAs(
  api: Api,
  body: RequestBody,
  headers: Record<string, string> = { "content-type": "application/json" },
): Promise<ApiResponse> {
  return api.send("POST", "/pets", { headers, body });
}

/** The target of a `Link` with this relation. Relative to the origin, for `api.get("/" + target)`. */
export function linkTarget({ headers }: ApiResponse, relation: string): string | undefined {
  return headers.get("link")?.match(new RegExp(`<([^>]*)>; rel="${relation}"`))?.[1];
}

/** Adds pets with these statuses, named 1, 2, 3, … */
export async function addPets(api: Api, statuses: readonly string[]): Promise<void> {
  for (const [i, status] of statuses.entries()) await api.post({ name: String(i + 1), categoryId: i, status });
}
