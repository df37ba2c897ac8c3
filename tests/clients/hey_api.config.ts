import { defineConfig } from "@hey-api/openapi-ts";

export default defineConfig({
  input: "./generated/openapi.json",
  // Node and Deno want extensions in imports; a bundler does not mind them.
  output: { path: "generated/hey_api", module: { extension: ".ts" } },
});
