/** The configuration of Orval with a mutator that keeps int64. */
const mutator = { path: "examples/orval_fetch_exact.ts", name: "fetchPets" };
export default {
  petstore: {
    input: "./generated/openapi.json",
    output: { target: "generated/orval_exact.ts", client: "fetch", override: { mutator, useBigInt: true } },
  },
};
