import { createPetstore } from "@petstore/petstore";

const petstore = createPetstore({ keys: ["pk_example"], publicBaseUrl: "https://api.example/store/v1" });

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT") ?? 8000) }, petstore.handle);
