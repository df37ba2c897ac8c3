import { client } from "../generated/hey_api_exact/client.gen.ts";
import { createPet, getPet, listPets } from "../generated/hey_api_exact/index.ts";
import { settings } from "./common.ts";
import { parseExact, stringifyExact } from "./exact_json.ts";

client.setConfig({
  ...settings,
  // Unless told otherwise, a bigint is sent as a string, and refused.
  bodySerializer: stringifyExact,
});

// The transformers call BigInt(String(…)) on what JSON.parse has read: on a string that is exact, on a number too late.
client.interceptors.response.use(async (response) => {
  if (!response.ok) return response; // Errors hold no int64, and 304 has no body.
  const quoted = JSON.stringify(
    parseExact(await response.text()),
    (_, value) => typeof value === "bigint" ? String(value) : value,
  );
  const { status, headers } = response;
  return new Response(quoted, { status, headers });
});

const { data: added } = await createPet({ body: { name: "Max", categoryId: 9223372036854775807n } });
if (!added) throw new Error("Not added");
const { data: pet } = await getPet({ path: { petId: added.id } });
const { data: pets } = await listPets();
console.log(added.categoryId, pet?.categoryId, pets?.at(-1)?.categoryId);
