import { serve } from "@hono/node-server";
import process from "node:process";
import { createPetstore } from "@petstore/petstore";
import { Hono } from "hono";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });

const app = new Hono();
app.get("/hello", (context) => context.text("Hello from the app"));
app.all(`${BASE_PATH}/*`, ({ req }) => petstore.handle(req.raw));

serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`Listening on http://localhost:${port}`));
