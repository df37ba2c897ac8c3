import { isErrorFromAlias } from "@zodios/core";
import { createApiClient } from "../generated/openapi_zod_client.ts";
import { settings } from "./common.ts";

const axiosConfig = { headers: settings.headers };
const client = createApiClient(settings.baseUrl, { axiosConfig, validate: "response" });
const headers = { "Idempotency-Key": crypto.randomUUID() };
const pet = await client.createPet({ name: "Rex", categoryId: 7 }, { headers });
console.log(pet.id, pet.name);
const thrown = await client.listPets({ queries: { limit: 101 } }).catch((thrown) => thrown);
const error = isErrorFromAlias(client.api, "listPets", thrown) ? thrown.response.data : undefined;
if (error?.code === "invalid_limit") console.log(error.message);
