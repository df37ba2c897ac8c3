import { serve } from "@hono/node-server";
import process from "node:process";
import { createPetstore } from "@petstore/petstore";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });

function fetch(request: Request): Response | Promise<Response> {
  const pathname = URL.parse(request.url)?.pathname ?? ""; // not new URL(): a Host header may be invalid
  if (pathname === "/hello") return new Response("Hello from the app");
  if (pathname.startsWith(`${BASE_PATH}/`)) return petstore.handle(request);
  return new Response("Not found", { status: 404 });
}

serve({ fetch, port: Number(PORT) }, ({ port }) => console.log(`Listening on http://localhost:${port}`));
