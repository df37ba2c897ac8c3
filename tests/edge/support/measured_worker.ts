/** A Worker with a petstore in memory, one on D1 and one in a Durable Object, for measure_d1.ts. */

import { createPetstore } from "@petstore/petstore";
import { createD1Store } from "@petstore/petstore/d1";
import { env } from "cloudflare:workers";

export { PetsObject } from "../workers/object/worker.ts";

const keys = env.PETSTORE_KEYS.split(",");
const inMemory = createPetstore({ keys });
const onD1 = createPetstore({ keys, store: createD1Store(env.DB) });

export default {
  fetch(request: Request): Promise<Response> {
    const store = request.headers.get("x-store");
    if (store === "object") return env.PETS.getByName("all").fetch(request);
    return (store === "d1" ? onD1 : inMemory).handle(request);
  },
};
