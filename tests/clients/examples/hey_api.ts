import process from "node:process";
import { client } from "../generated/hey_api/client.gen.ts";
import { createPet, listPets, type Pet, type PetStatus } from "../generated/hey_api/index.ts";
import { nextCursor } from "./next_cursor.ts";

client.setConfig({
  baseUrl: process.env.PETSTORE_URL ?? "http://127.0.0.1:8000/v1",
  auth: process.env.PETSTORE_KEY,
});

async function add(name: string, categoryId: number): Promise<Pet> {
  const { data, error } = await createPet({
    body: { name, categoryId },
    // With a key of its own, this request can be sent again and adds no second animal.
    headers: { "Idempotency-Key": crypto.randomUUID() },
  });
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return data;
}

async function* list(status: PetStatus): AsyncGenerator<Pet> {
  let cursor: string | undefined;
  do {
    const query = {
      status,
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    };
    const { data, error, response } = await listPets({ query });
    if (error) throw new Error(`${error.code}: ${error.message}`);
    yield* data;
    cursor = response && nextCursor(response.headers);
  } while (cursor !== undefined);
}

for (const name of ["Rex", "Luna", "Milo"]) await add(name, 7);
for await (const pet of list("available")) console.log(pet.id, pet.name);

const { error } = await listPets({ query: { limit: 101 } });
// The compiler knows which codes there are: any other in its place does not compile.
if (error?.code === "invalid_limit") console.log(error.message);
