/**
 * The functions that @hey-api/openapi-ts generates from the description, with the client that they share. A `client` given
 * to each call would end up in the options of `Request`, where Deno has another `client`.
 */

import { client } from "../generated/hey_api/client.gen.ts";
import { createPet, getPet, listPets, listStoreOrders } from "../generated/hey_api/index.ts";
import { type CreateClient, toClientResponse } from "./pet_client.ts";

export const create: CreateClient = (base, key) => {
  // The client reads it before its first await, so the next request uses it.
  const aim = () => client.setConfig({ baseUrl: base, auth: () => key ?? undefined });
  return {
    create: async (body, headers = {}) => (aim(), toClientResponse(await createPet({ body, headers }))),
    list: async (query = {}, headers = {}) => (aim(), toClientResponse(await listPets({ query, headers }))),
    get: async (petId, headers = {}) => (aim(), toClientResponse(await getPet({ path: { petId }, headers }))),
    orders: async () => (aim(), toClientResponse(await listStoreOrders())),
    createFrom: async (text) => (aim(), toClientResponse(await createPet({ body: NONE, bodySerializer: () => text }))),
    // The description has no operations for HEAD, so there is no function for it.
    head: async (petId) => {
      aim();
      const security = [{ scheme: "bearer", type: "http" } as const];
      return toClientResponse(await client.head<never, never>({ url: "/pets/{petId}", path: { petId }, security }));
    },
  };
};

const NONE = { name: "", categoryId: 0 };
