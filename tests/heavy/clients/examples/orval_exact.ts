import { createPet, getPet, listPets } from "../generated/orval_exact.ts";

const added = await createPet({ name: "Max", categoryId: 9223372036854775807n });
if (added.status !== 201) throw new Error(added.data.code);
const pet = await getPet(added.data.id);
const pets = await listPets();
if (pet.status !== 200 || pets.status !== 200) {
  throw new Error("Not found again");
}
console.log(added.data.categoryId, pet.data.categoryId, pets.data.at(-1)?.categoryId);
