/** The entry points of this repository's packages, as their deno.json files export them. */

import { readFileSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);

function readConfig(folder) {
  return JSON.parse(readFileSync(new URL("deno.json", folder), "utf8"));
}

/** The URL of the source of each entry point, by the name that an app imports, such as `@petstore/petstore/store`. */
export const SOURCES = new Map();
const { workspace = [] } = readConfig(ROOT);
for (const folder of [ROOT, ...workspace.map((path) => new URL(`${path}/`, ROOT))]) {
  const { name, exports } = readConfig(folder);
  for (const [entry, path] of Object.entries(typeof exports === "string" ? { ".": exports } : exports)) {
    SOURCES.set(name + entry.slice(1), new URL(path, folder).href);
  }
}
