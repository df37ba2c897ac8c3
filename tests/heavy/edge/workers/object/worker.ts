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

export default {
  fetch(request: Request): Response | Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/hello") return new Response("Hello from the app");
    if (pathname.startsWith(`${BASE_PATH}/`)) return env.PETS.getByName("all").fetch(request);
    return new Response("The app has no such page", { status: 404 });
  },
};
