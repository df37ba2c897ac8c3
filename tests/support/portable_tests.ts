/** The tests that use only what every runtime has and that a runtime can change: Deno, Node and Bun run the same files. */

import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Of the order of events in models, and of stores that are no part of the library. */
const SAME_EVERYWHERE = /\/(order|crew|postgres_commit|key_cache|documented_store|refutations)_test\.ts$/;

/** Paths relative to the root, `./` included. */
export const PORTABLE_TESTS: readonly string[] = ["contract", "security", "stores", "unit"]
  .flatMap((folder) => globSync(`tests/${folder}/**/*_test.ts`, { cwd: ROOT })).sort()
  .concat("tests/reliability/fuzz/handle_test.ts").map((path) => `./${path}`)
  .filter((path) => !SAME_EVERYWHERE.test(path));
