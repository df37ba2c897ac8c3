/** The requests of the specification's cases, which servers of any make can answer. */

import type { Api, ApiResponse } from "./api.ts";
import { assert } from "./assert.ts";
import { NotApplicable, postAs } from "./case.ts";
import { newName } from "./catalogue.ts";
import { ODD_NAME, petOf } from "./exact.ts";

const PET = '{"name":"Rex","categoryId":7}';

/** The day on which section 9 removes GET /pets/{petId}. */
const REMOVAL = Date.UTC(2030, 11, 5);

/** Ends a case that needs an endpoint which may have been removed. */
export function unlessRemoved(response: ApiResponse, answers: readonly number[] = [404, 410]): ApiResponse {
  if (Date.now() < REMOVAL || !answers.includes(response.status)) return response;
  throw new NotApplicable("the server has no GET /pets/{petId}, which was to be removed on 5 December 2030");
}

export async function getPet(api: Api, id: bigint): Promise<ApiResponse> {
  return unlessRemoved(await api.get(`/pets/${id}`));
}

/** Makes requests to the three endpoints, without a key or with these credentials. */
export function requestsTo(api: Api, id: bigint, authorization?: string): (() => Promise<ApiResponse>)[] {
  const parts = authorization === undefined ? { key: null } : { headers: { authorization } };
  return [
    () => api.get("/pets", parts),
    () => api.post(PET, parts),
    async () => unlessRemoved(await api.get(`/pets/${id}`, parts)),
  ];
}

/** Changes a character of a key in its middle, because the last bits of an encoding may mean nothing. */
export function mistyped(key: string): string {
  const middle = key.length >> 1;
  return `${key.slice(0, middle)}${key[middle] === "0" ? 1 : 0}${key.slice(middle + 1)}`;
}

/** Adds a pet from JSON text, and expects this category in the response and under its id, or that there is no such category. */
export async function expectCategory(api: Api, categoryId: string): Promise<void> {
  const response = await postAs(api, `{"name":"${newName(ODD_NAME)}","categoryId":${categoryId}}`);
  if (response.status === 400) return;
  const created = petOf(response, response.status);
  assert.equal(String(created.categoryId), categoryId, "The category of the created pet");
  const got = petOf(await getPet(api, created.id));
  assert.deepEqual(
    [got.id, String(got.categoryId)],
    [created.id, categoryId],
    "The id and category of the pet by its id",
  );
}
