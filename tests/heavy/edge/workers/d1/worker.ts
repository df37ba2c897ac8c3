import { createPetstore } from "@petstore/petstore";
import { createD1Store } from "@petstore/edge/d1";
import { env } from "cloudflare:workers";

const BASE_PATH = "/v1";
const store = createD1Store(env.DB);
const petstore = createPetstore({ store, keys: env.PETSTORE_KEYS.split(","), basePath: BASE_PATH });

export default {
  fetch(request: Request): Response | Promise<Response> {
    const pathname = URL.parse(request.url)?.pathname ?? ""; // not new URL(): a Host header may be invalid
    if (pathname === "/hello") return new Response("Hello from the app");
    if (pathname.startsWith(`${BASE_PATH}/`)) return petstore.handle(request);
    return new Response("The app has no such page", { status: 404 });
  },
};
