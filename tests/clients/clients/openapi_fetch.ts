/** The client that openapi-fetch makes with the types of openapi-typescript. */

import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi_fetch.ts";
import { bearer, type ClientResponse, type CreateClient, toClientResponse } from "./pet_client.ts";

export const create: CreateClient = (base, key) => {
  const client = createClient<paths>({ baseUrl: base, headers: bearer(key) });
  return {
    create: async (body, headers = {}) => toClientResponse(await client.POST("/pets", { body, headers })),
    list: async (query = {}, headers = {}) =>
      toClientResponse(await client.GET("/pets", { params: { query }, headers })),
    get: async (petId, headers = {}) =>
      toClientResponse(await client.GET("/pets/{petId}", { params: { path: { petId } }, headers })),
    orders: async () => toClientResponse(await client.GET("/store/orders")),
    createFrom: async (text) =>
      toClientResponse(
        await client.POST("/pets", { body: { name: text, categoryId: 0 }, bodySerializer: ({ name }) => name }),
      ),
    // The description has no operations for HEAD, so there is no type for it.
    head: async (petId) => {
      const params = { path: { petId } };
      const seen = await client.request("head" as "get", "/pets/{petId}", { params });
      return toClientResponse(seen) as ClientResponse<never, never>;
    },
  };
};
