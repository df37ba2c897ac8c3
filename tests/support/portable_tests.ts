/** The tests that use only what every runtime has: Deno, Node and Bun run the same files. */

import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Paths relative to the root, `./` included. */
export const PORTABLE_TESTS: readonly string[] = ["contract", "security", "stores", "unit"]
  .flatMap((folder) => globSync(`tests/${folder}/**/*_test.ts`, { cwd: ROOT })).sort()
  .concat("tests/reliability/fuzz/handle_test.ts").map((path) => `./${path}`);
