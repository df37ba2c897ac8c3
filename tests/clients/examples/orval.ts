import { createPet, listPets, type Pet, type PetStatus } from "../generated/orval.ts";
import { nextCursor } from "./next_cursor.ts";

async function add(name: string, categoryId: number): Promise<Pet> {
  // With a key of its own, this request can be sent again and adds no second animal.
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const answer = await createPet({ name, categoryId }, { headers });
  if (answer.status !== 201) {
    throw new Error(`${answer.data.code}: ${answer.data.message}`);
  }
  return answer.data;
}

async function* list(status: PetStatus): AsyncGenerator<Pet> {
  let cursor: string | undefined;
  do {
    const answer = await listPets({
      status,
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (answer.status !== 200) {
      throw new Error(`The list was answered with ${answer.status}`);
    }
    yield* answer.data;
    cursor = nextCursor(answer.headers);
  } while (cursor !== undefined);
}

for (const name of ["Rex", "Luna", "Milo"]) await add(name, 7);
for await (const pet of list("available")) console.log(pet.id, pet.name);

const answer = await listPets({ limit: 101 });
// The compiler knows which codes each status has: any other in its place does not compile.
if (answer.status === 400 && answer.data.code === "invalid_limit") {
  console.log(answer.data.message);
}
