import { createPetstore } from "@petstore/petstore";
import { createJsonLinesStore } from "./json_lines_store.ts";

const store = createJsonLinesStore(Deno.env.get("PETS_FILE") ?? "pets.jsonl");
const petstore = createPetstore({ keys: ["pk_example"], store });

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, petstore.handle);
