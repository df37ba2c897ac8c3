/** orval's useBigInt with a mutator that does not know of it: what the option alone does. */

import { defineConfig } from "orval";

export default defineConfig({
  petstore: {
    input: "../generated/openapi.json",
    output: {
      target: "../generated/orval_bigint.ts",
      client: "fetch",
      override: { mutator: { path: "../examples/orval_fetch.ts", name: "fetchPets" }, useBigInt: true },
    },
  },
});
