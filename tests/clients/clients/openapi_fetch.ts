/** The client that openapi-fetch makes with the types of openapi-typescript. */

import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi_fetch.ts";
import { type Answer, bearer, type CreateClient, toReply } from "./pet_client.ts";

export const create: CreateClient = (base, key) => {
  const client = createClient<paths>({ baseUrl: base, headers: bearer(key) });
  return {
    create: async (body, headers = {}) => toReply(await client.POST("/pets", { body, headers })),
    list: async (query = {}, headers = {}) => toReply(await client.GET("/pets", { params: { query }, headers })),
    get: async (petId, headers = {}) =>
      toReply(await client.GET("/pets/{petId}", { params: { path: { petId } }, headers })),
    orders: async () => toReply(await client.GET("/store/orders")),
    createFrom: async (text) =>
      toReply(await client.POST("/pets", { body: { name: text, categoryId: 0 }, bodySerializer: ({ name }) => name })),
    // The description has no operations for HEAD, so there is no type for it.
    head: async (petId) => {
      const params = { path: { petId } };
      return toReply(await client.request("head" as "get", "/pets/{petId}", { params })) as Answer<never, never>;
    },
  };
};
