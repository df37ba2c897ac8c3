/**
 * Preloaded into Node or Bun, this leads the names of this repository's packages to their sources. Deno does so by itself, because the
 * packages are one workspace.
 */

import * as module from "node:module";
import { SOURCES } from "./entry_points.mjs";

if (globalThis.Bun) {
  Bun.plugin({
    name: "packages of this repository",
    setup(build) {
      for (const [name, source] of SOURCES) {
        build.module(name, async () => ({ exports: await import(source), loader: "object" }));
      }
    },
  });
} else if (module.registerHooks) {
  // Node before 22.15 has no such hooks; there, only tests without these names are run.
  module.registerHooks({ resolve: (name, context, next) => next(SOURCES.get(name) ?? name, context) });
}
