/** The client that orval generates from the description. Its mutator reads the settings. */

import { createPet, getGetPetUrl, getPet, listPets, listStoreOrders } from "../generated/orval.ts";
import { settings } from "../examples/common.ts";
import { fetchPets } from "../examples/orval_fetch.ts";
import type { CreateClient } from "./pet_client.ts";

export const create: CreateClient = (base, key) => {
  // The mutator reads them before its first await, so the next request uses them.
  const aim = () =>
    Object.assign(settings, { baseUrl: base, headers: key === null ? {} : { authorization: `Bearer ${key}` } });
  return {
    create: async (pet, headers = {}) => {
      aim();
      const { data, ...answer } = await createPet(pet, { headers });
      return "code" in data ? { ...answer, error: data } : { ...answer, data };
    },
    list: async (query = {}, headers = {}) => {
      aim();
      const { data, ...answer } = await listPets(query, { headers });
      if (!data) return answer;
      return "code" in data ? { ...answer, error: data } : { ...answer, data };
    },
    get: async (petId, headers = {}) => {
      aim();
      const { data, ...answer } = await getPet(petId, { headers });
      if (!data) return answer;
      return "code" in data ? { ...answer, error: data } : { ...answer, data };
    },
    orders: async () => {
      aim();
      const { data, ...answer } = await listStoreOrders();
      return { ...answer, error: data };
    },
    // The description has no operations for HEAD; the mutator can send one.
    head: (petId) => {
      aim();
      return fetchPets(getGetPetUrl(petId), { method: "HEAD" });
    },
  };
};
