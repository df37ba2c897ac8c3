/** With a mutator that keeps int64, and with one that does not, to test what `useBigInt` does alone. */
export default {
  exact: createProject("orval_exact", "orval_fetch_exact"),
  bigint: createProject("orval_bigint", "orval_fetch"),
};

function createProject(target: string, mutator: string) {
  const override = { mutator: { path: `examples/${mutator}.ts`, name: "fetchPets" }, useBigInt: true };
  return {
    input: "./generated/openapi.json",
    output: { target: `generated/${target}.ts`, client: "fetch", override },
  };
}
