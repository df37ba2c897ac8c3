import { client } from "../generated/hey_api/client.gen.ts";
import { createPet, listPets } from "../generated/hey_api/index.ts";
import { settings } from "./common.ts";

client.setConfig(settings);
const headers = { "Idempotency-Key": crypto.randomUUID() };
const { data } = await createPet({ body: { name: "Rex", categoryId: 7 }, headers });
console.log(data?.id, data?.name);
const { error } = await listPets({ query: { limit: 101 } });
if (error?.code === "invalid_limit") console.log(error.message);
