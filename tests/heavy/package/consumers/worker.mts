// A Worker with Cloudflare's own types. Compiled, not run.
import { createPetstore } from "@petstore/petstore";
import { createD1Store, createDurableObjectStore } from "@petstore/edge/d1";

interface Env {
  DB: D1Database;
  KV: KVNamespace;
  PETSTORE_KEYS: string;
}

export default {
  fetch(request, env): Promise<Response> {
    // @ts-expect-error It is no database.
    createD1Store(env.KV);
    const store = createD1Store(env.DB);
    return createPetstore({ store, keys: env.PETSTORE_KEYS.split(",") }).handle(request);
  },
} satisfies ExportedHandler<Env>;

/** A petstore is a Worker itself. */
export const worker = createPetstore({ keys: ["pk_example"] }) satisfies ExportedHandler<Env>;

export class PetsObject implements DurableObject {
  readonly #handle: (request: Request) => Promise<Response>;

  constructor(ctx: DurableObjectState, env: Env) {
    // @ts-expect-error It is the state of the object, not its storage.
    createDurableObjectStore(ctx);
    const store = createDurableObjectStore(ctx.storage);
    this.#handle = createPetstore({ store, keys: env.PETSTORE_KEYS.split(",") }).handle;
  }

  fetch(request: Request): Promise<Response> {
    return this.#handle(request);
  }
}
