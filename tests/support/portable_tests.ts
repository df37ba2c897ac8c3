/** The tests that use only what every runtime has and that a runtime can change: Deno, Node and Bun run the same files. */

import { globSync } from "node:fs";
import { normalize } from "node:path";
import { ROOT } from "./pages.ts";

/**
 * Tests of the order of events in models, of stores that are no part of the library, and of processes; of a runtime that is none of them;
 * and of modules that are loaded twice, which Bun does not do.
 */
const SAME_EVERYWHERE =
  /\/(worker_group|worker_keys|postgres_commit|key_cache|documented_store|refutations|runtime)_test\.ts$/;

/** Whole folders, and tests in folders whose other tests need Deno. */
const PORTABLE = [
  "./tests/contract/**/*_test.ts",
  "./tests/security/**/*_test.ts",
  "./tests/stores/**/*_test.ts",
  "./tests/unit/**/*_test.ts",
  "./packages/client/tests/*_test.ts",
  "./tools/reliability/fuzz/handle_test.ts",
];

/** Paths relative to the root, `./` included. */
export const PORTABLE_TESTS: readonly string[] = PORTABLE.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).sort())
  .map((path) => `./${normalize(path)}`).filter((path) => !SAME_EVERYWHERE.test(path));
