import { defineConfig } from "@hey-api/openapi-ts";

export default defineConfig({
  input: "./generated/openapi.json",
  output: { path: "generated/hey_api_exact", module: { extension: ".ts" } },
  plugins: [
    "@hey-api/typescript",
    "@hey-api/client-fetch",
    // Makes int64 a bigint in the types, and calls BigInt() on what JSON.parse has read.
    { name: "@hey-api/transformers", bigInt: true },
    { name: "@hey-api/sdk", transformer: true },
  ],
});
