/** The client that openapi-zod-client generates from the description: Zodios, on axios. */

import { isErrorFromAlias } from "@zodios/core";
import { type AxiosResponse, isAxiosError } from "axios";
import { createApiClient } from "../generated/openapi_zod_client.ts";
import { bearer, type ClientResponse, type CreateClient, type Failure, toClientResponse } from "./pet_client.ts";

type Api = ReturnType<typeof createApiClient>;

export const create: CreateClient = (base, key) => {
  /** Sends one request. Zodios gives only the data, so status and headers come from axios. */
  async function ask<T, Code extends string>(
    call: (api: Api) => Promise<T>,
    read: (api: Api["api"], thrown: unknown) => { response: { data: Failure<Code> | void } } | undefined = () =>
      undefined,
  ): Promise<ClientResponse<T, Code>> {
    // The client would refuse a wrong request itself.
    const api = createApiClient(base, {
      validate: "response",
      axiosConfig: { headers: bearer(key), adapter: "fetch" },
    });
    let seen: AxiosResponse | undefined;
    api.axios.interceptors.response.use((response) => seen = response);
    try {
      const data = await call(api);
      return toClientResponse({ data, response: describe(seen) });
    } catch (thrown) {
      if (!isAxiosError(thrown)) throw thrown;
      return toClientResponse({ error: read(api.api, thrown)?.response.data, response: describe(thrown.response) });
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
    head: (petId) => ask(async ({ axios }) => (await axios.head(`/pets/${petId}`)).data || undefined),
  };
};

function describe(response: AxiosResponse | undefined): { status: number; headers: Headers } | undefined {
  return response && { status: response.status, headers: new Headers(response.headers as Record<string, string>) };
}
