/** The client that openapi-fetch makes with the types of openapi-typescript. */

import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi_fetch.ts";
import type { Answer, CreateClient, Failure } from "./pet_client.ts";

export const create: CreateClient = (base, key) => {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const client = createClient<paths>({ baseUrl: base, headers });
  return {
    create: async (body, headers = {}) => read(await client.POST("/pets", { body, headers })),
    list: async (query = {}, headers = {}) => read(await client.GET("/pets", { params: { query }, headers })),
    get: async (petId, headers = {}) =>
      read(await client.GET("/pets/{petId}", { params: { path: { petId } }, headers })),
    orders: async () => read(await client.GET("/store/orders")),
    createFrom: async (text) =>
      read(await client.POST("/pets", { body: { name: text, categoryId: 0 }, bodySerializer: ({ name }) => name })),
    // The description has no operations for HEAD, so there is no type for it.
    head: async (petId) =>
      read(
        await client.request("head" as "get", "/pets/{petId}", { params: { path: { petId } } }),
      ) as Answer<never, never>,
  };
};

/** If an answer has no body, this client gives "" as the error. */
function read<T, Code extends string>(
  { data, error, response }: {
    data?: T;
    error?: Failure<Code> | undefined;
    response: Response;
  },
): Answer<T, Code> {
  return { status: response.status, headers: response.headers, data, error: error || undefined };
}
