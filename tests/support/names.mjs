/**
 * Preloaded into Node, this leads the names of this repository's packages to their sources. Deno
 * does so by itself, because the packages are one workspace, and Bun by packages/tsconfig.json.
 */

import * as module from "node:module";
import { SOURCES } from "./entry_points.mjs";

if (module.registerHooks) {
  module.registerHooks({ resolve: (name, context, next) => next(SOURCES.get(name) ?? name, context) });
} else {
  module.register("./name_hooks.mjs", import.meta.url, { data: [...SOURCES] });
}
