import { createPetstore } from "@petstore/petstore";
import { Hono } from "hono";

const basePath = Deno.env.get("BASE_PATH") ?? "/v1";
const petstore = createPetstore({ keys: ["pk_example"], basePath });

const app = new Hono();
app.get("/hello", (context) => context.text("Hello from the app"));
app.all(`${basePath}/*`, (context) => petstore.handle(context.req.raw));

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, app.fetch);
