/** An app whose store fails in every way, for a test of its output. Deno only. */

import { createPetstore } from "../../../mod.ts";
import type { PetStore } from "../../../lib/stores/store.ts";

const key = Deno.env.get("APP_KEY") ?? "";

const store: PetStore = {
  create: () => {
    // Outside any request: this ends the process.
    setTimeout(() => {
      throw new Error("thrown later", { cause: petstore });
    });
    return Promise.reject(new Error("rejected"));
  },
  get: () => {
    throw new Error("thrown");
  },
  list: () => JSON.parse("{"),
  check: () => {},
  close: () => {},
};

const petstore = createPetstore({ keys: [key, `sha256:${"ab".repeat(32)}`], store });
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, petstore.handle);
console.log(server.addr.port);
console.log(petstore, Deno.inspect(petstore, { depth: 100, showHidden: true }));
