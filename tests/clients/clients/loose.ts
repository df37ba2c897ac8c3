/** The clients whose own code does not compile with `exactOptionalPropertyTypes`. */

import { isErrorFromAlias } from "@zodios/core";
import { type AxiosResponse, isAxiosError } from "axios";
import type { z } from "zod/v4";
import { client } from "../generated/hey_api/client.gen.ts";
import * as heyApi from "../generated/hey_api/index.ts";
import { type Client, fetch, type RequestConfig, type ResponseConfig } from "../generated/kubb/.kubb/fetch.ts";
import * as kubb from "../generated/kubb/clients/index.ts";
import * as schemas from "../generated/kubb/zod/index.ts";
import { createApiClient } from "../generated/openapi_zod_client.ts";
import { bearer, type ClientResponse, type Clients, type Failure, toClientResponse } from "./pet_client.ts";

type Zodios = ReturnType<typeof createApiClient>;

export const CLIENTS: Clients = {
  hey_api(base, key) {
    const { createPet, getPet, listPets, listStoreOrders } = heyApi;
    // A `client` given to each call would end up in the options of `Request`, where Deno has another `client`. The shared
    // client reads its settings before its first await, so the next request uses them.
    const aim = () => client.setConfig({ baseUrl: base, auth: () => key ?? undefined });
    return {
      create: async (body, headers = {}) => (aim(), toClientResponse(await createPet({ body, headers }))),
      list: async (query = {}, headers = {}) => (aim(), toClientResponse(await listPets({ query, headers }))),
      get: async (petId, headers = {}) => (aim(), toClientResponse(await getPet({ path: { petId }, headers }))),
      orders: async () => (aim(), toClientResponse(await listStoreOrders())),
    };
  },

  kubb(base, key) {
    // The generated client does not declare that a body is JSON.
    const headers = { ...bearer(key), "Content-Type": "application/json" };
    const client: Client = <T, _E, V>(config: RequestConfig<V>) =>
      fetch<T>({ ...config, baseURL: base, headers: { ...headers, ...config.headers } });
    const { createPet, getPet, listPets, listStoreOrders } = kubb;
    return {
      create: async (pet, headers = {}) => readBy(await createPet(pet, headers, { client }), CREATE),
      list: async (query = {}, headers = {}) => readBy(await listPets(query, headers, { client }), LIST),
      get: async (petId, headers = {}) => readBy(await getPet(petId, headers, { client }), GET),
      orders: async () => readBy(await listStoreOrders({ client }), ORDERS),
    };
  },

  openapi_zod_client(base, key) {
    /** Sends one request. Zodios gives only the data, so status and headers come from axios. */
    async function ask<T, Code extends string>(
      call: (api: Zodios) => Promise<T>,
      read: (api: Zodios["api"], thrown: unknown) => { response: { data: Failure<Code> | void } } | undefined,
    ): Promise<ClientResponse<T, Code>> {
      // The client would refuse a wrong request itself.
      const axiosConfig = { headers: bearer(key), adapter: "fetch" } as const;
      const api = createApiClient(base, { validate: "response", axiosConfig });
      let seen: AxiosResponse | undefined;
      api.axios.interceptors.response.use((response) => seen = response);
      try {
        return toClientResponse({ data: await call(api), response: headOf(seen) });
      } catch (thrown) {
        if (!isAxiosError(thrown)) throw thrown;
        return toClientResponse({ error: read(api.api, thrown)?.response.data, response: headOf(thrown.response) });
      }
    }
    return {
      create: (pet, headers = {}) =>
        ask(
          (api) => api.createPet({ ...pet }, { headers }),
          (api, thrown) => isErrorFromAlias(api, "createPet", thrown) ? thrown : undefined,
        ),
      list: (queries = {}, headers = {}) =>
        ask(
          (api) => api.listPets({ queries, headers }),
          (api, thrown) => isErrorFromAlias(api, "listPets", thrown) ? thrown : undefined,
        ),
      get: (petId, headers = {}) =>
        ask(
          (api) => api.getPet({ params: { petId }, headers }),
          (api, thrown) => isErrorFromAlias(api, "getPet", thrown) ? thrown : undefined,
        ),
      orders: () =>
        ask(
          (api) => api.listStoreOrders(),
          (api, thrown) => isErrorFromAlias(api, "listStoreOrders", thrown) ? thrown : undefined,
        ),
    };
  },
};

/** The schemas by which Kubb's users read the body of a failure, which it gives as data. */
const CREATE = schemas.createPet400Schema.or(schemas.createPet401Schema).or(schemas.createPet422Schema);
const LIST = schemas.listPets400Schema.or(schemas.listPets401Schema);
const GET = schemas.getPet401Schema.or(schemas.getPet404Schema);
const ORDERS = schemas.listStoreOrders401Schema.or(schemas.listStoreOrders501Schema);

function readBy<T, Code extends string>(
  { status, headers, data }: ResponseConfig<T>,
  failure: z.ZodType<Failure<Code>>,
): ClientResponse<T, Code> {
  if (status < 400) return { status, headers, data };
  return { status, headers, error: failure.safeParse(data).data };
}

function headOf(response: AxiosResponse | undefined): { status: number; headers: Headers } | undefined {
  return response && { status: response.status, headers: new Headers(response.headers as Record<string, string>) };
}
