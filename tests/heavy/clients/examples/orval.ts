import { createPet, listPets } from "../generated/orval.ts";

const headers = { "Idempotency-Key": crypto.randomUUID() };
const added = await createPet({ name: "Rex", categoryId: 7 }, { headers });
if (added.status === 201) console.log(added.data.id, added.data.name);
const { status, data } = await listPets({ limit: 101 });
if (status === 400 && data.code === "invalid_limit") console.log(data.message);
