/** The client that Kubb generates from the description. Its Zod schemas read the errors. */

import type { z } from "zod/v4";
import { createPet, getPet, listPets, listStoreOrders } from "../generated/kubb/clients/index.ts";
import { type Client, fetch, type RequestConfig, type ResponseConfig } from "../generated/kubb/.kubb/fetch.ts";
import * as schemas from "../generated/kubb/zod/index.ts";
import { bearer, type ClientResponse, type CreateClient, type Failure } from "./pet_client.ts";

const CREATE = schemas.createPet400Schema.or(schemas.createPet401Schema).or(schemas.createPet408Schema)
  .or(schemas.createPet413Schema).or(schemas.createPet415Schema).or(schemas.createPet422Schema)
  .or(schemas.createPet500Schema).or(schemas.createPet503Schema);
const LIST = schemas.listPets400Schema.or(schemas.listPets401Schema).or(schemas.listPets500Schema)
  .or(schemas.listPets503Schema);
const GET = schemas.getPet400Schema.or(schemas.getPet401Schema).or(schemas.getPet404Schema)
  .or(schemas.getPet500Schema).or(schemas.getPet503Schema);
const ORDERS = schemas.listStoreOrders400Schema.or(schemas.listStoreOrders401Schema)
  .or(schemas.listStoreOrders500Schema).or(schemas.listStoreOrders501Schema).or(schemas.listStoreOrders503Schema);

export const create: CreateClient = (base, key) => {
  // The generated client does not declare that a body is JSON.
  const client: Client = <T, _E, V>(config: RequestConfig<V>) =>
    fetch<T>({
      ...config,
      baseURL: base,
      headers: { ...bearer(key), "Content-Type": "application/json", ...config.headers },
    });
  return {
    create: async (pet, headers = {}) => read(await createPet(pet, headers, { client }), CREATE),
    list: async (query = {}, headers = {}) => read(await listPets(query, headers, { client }), LIST),
    get: async (petId, headers = {}) => read(await getPet(petId, headers, { client }), GET),
    orders: async () => read(await listStoreOrders({ client }), ORDERS),
    head: async (petId) => read(await client({ method: "HEAD", url: `/pets/${petId}` }), GET),
  };
};

/** This client gives the body of a failure as data; a schema reads it. */
function read<T, Code extends string>(
  { status, headers, data }: ResponseConfig<T>,
  failure: z.ZodType<Failure<Code>>,
): ClientResponse<T, Code> {
  if (status < 400) return { status, headers, data };
  return { status, headers, error: failure.safeParse(data).data };
}
