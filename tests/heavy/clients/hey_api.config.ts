export default {
  input: "./generated/openapi.json",
  output: { path: "generated/hey_api", module: { extension: ".ts" } },
};
