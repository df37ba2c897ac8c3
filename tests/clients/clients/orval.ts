/** The client that orval generates from the description. Its mutator reads the settings. */

import { createPet, getGetPetUrl, getPet, listPets, listStoreOrders } from "../generated/orval.ts";
import { settings } from "../examples/common.ts";
import { fetchPets } from "../examples/orval_fetch.ts";
import type {
  ClientResponse,
  CreateClient,
  CreateCode,
  Failure,
  GetCode,
  ListCode,
  OrdersCode,
  Pet,
} from "./pet_client.ts";
import { bearer, toClientResponse } from "./pet_client.ts";

export const create: CreateClient = (base, key) => {
  // The mutator reads them before its first await, so the next request uses them.
  const aim = () => Object.assign(settings, { baseUrl: base, headers: bearer(key) });
  return {
    create: async (pet, headers = {}) => (aim(), read<Pet, CreateCode>(await createPet(pet, { headers }))),
    list: async (query = {}, headers = {}) => (aim(), read<Pet[], ListCode>(await listPets(query, { headers }))),
    get: async (petId, headers = {}) => (aim(), read<Pet, GetCode>(await getPet(petId, { headers }))),
    orders: async () => (aim(), read<never, OrdersCode>(await listStoreOrders())),
    // The description has no operations for HEAD; the mutator can send one.
    head: (petId) => (aim(), fetchPets(getGetPetUrl(petId), { method: "HEAD" })),
  };
};

interface Given<T> {
  status: number;
  headers: Headers;
  data: T | void;
}

/** This client gives the body of a failure as data. */
function read<T extends object, Code extends string>(response: Given<T | Failure<Code>>): ClientResponse<T, Code> {
  const { data } = response;
  return data && "code" in data
    ? toClientResponse({ error: data as Failure<Code>, response })
    : toClientResponse({ data: data as T, response });
}
