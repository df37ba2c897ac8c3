const mutator = { path: "examples/orval_fetch.ts", name: "fetchPets" };
export default {
  petstore: {
    input: "./generated/openapi.json",
    output: { target: "generated/orval.ts", client: "fetch", override: { mutator } },
  },
};
