import { createPetstore, type Petstore } from "@petstore/petstore";
import { createDurableObjectStore, type DurableObjectBinding } from "@petstore/edge/d1";
import { env } from "cloudflare:workers";

const BASE_PATH = "/v1";

export class PetsObject {
  readonly #petstore: Petstore;

  constructor({ storage }: { storage: DurableObjectBinding }) {
    const store = createDurableObjectStore(storage);
    this.#petstore = createPetstore({ store, keys: env.PETSTORE_KEYS.split(","), basePath: BASE_PATH });
  }

  fetch(request: Request): Promise<Response> {
    return this.#petstore.handle(request);
  }
}

/** The call of an object fails if Cloudflare resets it, for example for new code. Then a pet may have been stored. */
function unavailable(error: unknown): Response {
  console.error(error);
  const message = "The store is unavailable, and the pet may have been stored; try again later";
  const headers = { "retry-after": "5" };
  return Response.json({ code: "store_unavailable", message, status: 503 }, { status: 503, headers });
}

export default {
  fetch(request: Request): Response | Promise<Response> {
    const pathname = URL.parse(request.url)?.pathname ?? ""; // not new URL(): a Host header may be invalid
    if (pathname === "/hello") return new Response("Hello from the app");
    if (pathname.startsWith(`${BASE_PATH}/`)) {
      return env.PETS.getByName("all").fetch(request).catch(unavailable);
    }
    return new Response("The app has no such page", { status: 404 });
  },
};
