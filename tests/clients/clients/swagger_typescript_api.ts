/** The client that swagger-typescript-api generates from the description. */

import { Api, type HttpResponse } from "../generated/swagger_typescript_api.ts";
import { bearer, type ClientResponse, type CreateClient, type Failure, toClientResponse } from "./pet_client.ts";

export const create: CreateClient = (base, key) => {
  const { pets, store, request } = new Api({ baseUrl: base, baseApiParams: { headers: bearer(key) } });
  return {
    create: async (pet, { "Content-Type": type, ...headers } = {}) =>
      read(await pets.createPet(pet, { headers, ...(type === "text/plain" ? { type } : {}) })),
    list: async (query = {}, headers = {}) => read(await pets.listPets(query, { headers })),
    get: async (petId, headers = {}) => read(await pets.getPet(petId, { headers })),
    orders: async () => read(await store.listStoreOrders({ format: "json" })),
    head: async (petId) => read(await request<unknown, never>({ path: `/pets/${petId}`, method: "HEAD" })),
  };
};

/** Where a body is not JSON, this client gives the SyntaxError as the error. */
function read<T, Code extends string>(response: HttpResponse<T, Failure<Code> | void>): ClientResponse<T, Code> {
  return toClientResponse({ data: response.data, error: response.error, response });
}
