/** The client that openapi-zod-client generates from the description: Zodios, on axios. */

import { isErrorFromAlias } from "@zodios/core";
import { type AxiosResponse, isAxiosError } from "axios";
import { createApiClient } from "../generated/openapi_zod_client.ts";
import type { Answer, CreateClient, Failure } from "./pet_client.ts";

type Api = ReturnType<typeof createApiClient>;

export const create: CreateClient = (base, key) => {
  /** Sends one request. Zodios gives only the data, so status and headers come from axios. */
  async function ask<T, Code extends string>(
    call: (api: Api) => Promise<T>,
    read: (api: Api, thrown: unknown) => Failure<Code> | undefined,
  ): Promise<Answer<T, Code>> {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    // The client would refuse a wrong request itself.
    const api = createApiClient(base, { validate: "response", axiosConfig: { headers, adapter: "fetch" } });
    let seen: AxiosResponse | undefined;
    api.axios.interceptors.response.use((response) => seen = response);
    try {
      const data = await call(api);
      return { ...describe(seen), data };
    } catch (thrown) {
      if (!isAxiosError(thrown)) throw thrown;
      return { ...describe(thrown.response), error: read(api, thrown) };
    }
  }

  return {
    create: (pet, headers = {}) =>
      ask(
        (api) => api.createPet({ ...pet }, { headers }),
        ({ api }, thrown) => isErrorFromAlias(api, "createPet", thrown) ? thrown.response.data : undefined,
      ),
    list: (queries = {}, headers = {}) =>
      ask(
        (api) => api.listPets({ queries, headers }),
        ({ api }, thrown) => isErrorFromAlias(api, "listPets", thrown) ? thrown.response.data || undefined : undefined,
      ),
    get: (petId, headers = {}) =>
      ask(
        (api) => api.getPet({ params: { petId }, headers }),
        ({ api }, thrown) => isErrorFromAlias(api, "getPet", thrown) ? thrown.response.data || undefined : undefined,
      ),
    orders: () =>
      ask(
        (api) => api.listStoreOrders(),
        ({ api }, thrown) => isErrorFromAlias(api, "listStoreOrders", thrown) ? thrown.response.data : undefined,
      ),
    head: (petId) => ask(async ({ axios }) => (await axios.head(`/pets/${petId}`)).data || undefined, () => undefined),
  };
};

function describe(response: AxiosResponse | undefined): { status: number; headers: Headers } {
  if (!response) throw new Error("There was no answer");
  return { status: response.status, headers: new Headers(response.headers as Record<string, string>) };
}
