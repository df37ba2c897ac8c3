/** On Node: the package's own names lead to this checkout, as deno.json says for Deno and tsconfig.json for Bun. */

import { registerHooks } from "node:module";
import config from "../deno.json" with { type: "json" };

registerHooks({
  resolve(name, context, next) {
    const own = name.startsWith("@petstore/") ? new URL(`../${config.imports[name]}`, import.meta.url).href : name;
    return next(own, context);
  },
});
