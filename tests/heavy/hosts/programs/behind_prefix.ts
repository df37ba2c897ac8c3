import { createPetstore } from "@petstore/petstore";
import { Hono } from "hono";

const petstore = createPetstore({ keys: ["pk_example"], basePath: "", publicBaseUrl: "/api/v1" });

const app = new Hono();
app.mount("/api/v1", petstore.handle); // takes the prefix away

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, app.fetch);
