import { Api } from "../generated/swagger_typescript_api.ts";
import { settings } from "./common.ts";

const { pets } = new Api({ baseUrl: settings.baseUrl, baseApiParams: { headers: settings.headers } });
const headers = { "Idempotency-Key": crypto.randomUUID() };
const { data } = await pets.createPet({ name: "Rex", categoryId: 7 }, { headers });
console.log(data.id, data.name);
const { error } = await pets.listPets({ limit: 101 });
if (error?.code === "invalid_limit") console.log(error.message);
