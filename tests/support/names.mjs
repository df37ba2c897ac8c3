/**
 * Preloaded into Node or Bun, this leads the names of this repository's packages to their sources: `@petstore/petstore/store` to the
 * file that deno.json exports for it. Deno does so by itself, because the packages are one workspace.
 */

import { readFileSync } from "node:fs";
import * as module from "node:module";

const ROOT = new URL("../../", import.meta.url);

function readConfig(folder) {
  return JSON.parse(readFileSync(new URL("deno.json", folder), "utf8"));
}

/** The URL of the source of each entry point, by the name that an app imports. */
const sources = new Map();
const { workspace = [] } = readConfig(ROOT);
for (const folder of [ROOT, ...workspace.map((path) => new URL(`${path}/`, ROOT))]) {
  const { name, exports } = readConfig(folder);
  for (const [entry, path] of Object.entries(typeof exports === "string" ? { ".": exports } : exports)) {
    sources.set(name + entry.slice(1), new URL(path, folder).href);
  }
}

if (globalThis.Bun) {
  Bun.plugin({
    name: "packages of this repository",
    setup(build) {
      for (const [name, source] of sources) {
        build.module(name, async () => ({ exports: await import(source), loader: "object" }));
      }
    },
  });
} else if (module.registerHooks) {
  // Node before 22.15 has no such hooks; there, only tests without these names are run.
  module.registerHooks({ resolve: (name, context, next) => next(sources.get(name) ?? name, context) });
}
