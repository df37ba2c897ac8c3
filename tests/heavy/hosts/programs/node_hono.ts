import { type HttpBindings, serve } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import process from "node:process";
import { createPetstore } from "@petstore/petstore";
import { createNodeListener } from "@petstore/petstore/node";
import { Hono } from "hono";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });
const servePetstore = createNodeListener(petstore);

const app = new Hono<{ Bindings: HttpBindings }>();
app.get("/hello", (context) => context.text("Hello from the app"));
app.all(`${BASE_PATH}/*`, ({ env, req }) => {
  // Hono makes the response to a HEAD request of what this function returns.
  if (req.raw.method === "HEAD") return petstore.handle(req.raw);
  servePetstore(env.incoming, env.outgoing);
  return RESPONSE_ALREADY_SENT;
});

serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`Listening on http://localhost:${port}`));
