import { defineConfig } from "orval";

export default defineConfig({
  petstore: {
    input: "./generated/openapi.json",
    output: {
      target: "generated/orval.ts",
      client: "fetch",
      override: {
        mutator: { path: "examples/orval_fetch.ts", name: "fetchPets" },
      },
    },
  },
  petstore_exact: {
    input: "./generated/openapi.json",
    output: {
      target: "generated/orval_exact.ts",
      client: "fetch",
      override: {
        mutator: { path: "examples/orval_fetch_exact.ts", name: "fetchPets" },
        useBigInt: true,
      },
    },
  },
});
