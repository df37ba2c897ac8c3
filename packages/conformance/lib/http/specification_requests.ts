/** The requests of the specification's cases, which servers of any make can answer. */

import type { Api, ApiResponse } from "./api.ts";
import { NotApplicable } from "./case.ts";

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
