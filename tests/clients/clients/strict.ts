/** The clients that compile with `exactOptionalPropertyTypes`. */

import createClient from "openapi-fetch";
import { settings } from "../examples/common.ts";
import type { paths } from "../generated/openapi_fetch.ts";
import * as generated from "../generated/orval.ts";
import { Api, type HttpResponse } from "../generated/swagger_typescript_api.ts";
import type { ClientResponse, CreateCode, Failure, GetCode, ListCode, OrdersCode, Pet } from "./pet_client.ts";
import { bearer, type Clients, toClientResponse } from "./pet_client.ts";

export const CLIENTS: Clients = {
  openapi_fetch(base, key) {
    const client = createClient<paths>({ baseUrl: base, headers: bearer(key) });
    return {
      create: async (body, headers = {}) => toClientResponse(await client.POST("/pets", { body, headers })),
      list: async (query = {}, headers = {}) =>
        toClientResponse(await client.GET("/pets", { params: { query }, headers })),
      get: async (petId, headers = {}) =>
        toClientResponse(await client.GET("/pets/{petId}", { params: { path: { petId } }, headers })),
      orders: async () => toClientResponse(await client.GET("/store/orders")),
    };
  },

  orval(base, key) {
    const { createPet, getPet, listPets, listStoreOrders } = generated;
    // The mutator reads the settings before its first await, so the next request uses them.
    const aim = () => Object.assign(settings, { baseUrl: base, headers: bearer(key) });
    return {
      create: async (pet, headers = {}) => (aim(), readData<Pet, CreateCode>(await createPet(pet, { headers }))),
      list: async (query = {}, headers = {}) => (aim(), readData<Pet[], ListCode>(await listPets(query, { headers }))),
      get: async (petId, headers = {}) => (aim(), readData<Pet, GetCode>(await getPet(petId, { headers }))),
      orders: async () => (aim(), readData<never, OrdersCode>(await listStoreOrders())),
    };
  },

  swagger_typescript_api(base, key) {
    const { pets, store } = new Api({ baseUrl: base, baseApiParams: { headers: bearer(key) } });
    const read = <T, Code extends string>(response: HttpResponse<T, Failure<Code> | void>): ClientResponse<T, Code> =>
      toClientResponse({ data: response.data, error: response.error, response });
    return {
      create: async (pet, headers = {}) => read(await pets.createPet(pet, { headers })),
      list: async (query = {}, headers = {}) => read(await pets.listPets(query, { headers })),
      get: async (petId, headers = {}) => read(await pets.getPet(petId, { headers })),
      orders: async () => read(await store.listStoreOrders({ format: "json" })),
    };
  },
};

/** orval gives the body of a failure as data. */
function readData<T extends object, Code extends string>(
  response: { status: number; headers: Headers; data: T | Failure<Code> | void },
): ClientResponse<T, Code> {
  const { data } = response;
  return data && "code" in data
    ? toClientResponse({ error: data as Failure<Code>, response })
    : toClientResponse({ data: data as T, response });
}
