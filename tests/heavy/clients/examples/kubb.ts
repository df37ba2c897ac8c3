import { setConfig } from "../generated/kubb/.kubb/fetch.ts";
import { createPet, listPets } from "../generated/kubb/clients/index.ts";
import { listPets400Schema, petSchema } from "../generated/kubb/zod/index.ts";
import { settings } from "./common.ts";

const type = { "content-type": "application/json" };
setConfig({ baseURL: settings.baseUrl, headers: { ...settings.headers, ...type } });
const added = await createPet({ name: "Rex", categoryId: 7 }, { "Idempotency-Key": crypto.randomUUID() });
const pet = petSchema.parse(added.data);
console.log(pet.id, pet.name);
const { data: error } = listPets400Schema.safeParse((await listPets({ limit: 101 })).data);
if (error?.code === "invalid_limit") console.log(error.message);
