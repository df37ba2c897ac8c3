/** On Node: the package's own names lead to this checkout, as deno.json says for Deno and tsconfig.json for Bun. */

import { registerHooks } from "node:module";

const OWN = new Map([
  ["@petstore/petstore", new URL("petstore.ts", import.meta.url).href],
  ["@petstore/petstore/node", new URL("node.ts", import.meta.url).href],
]);

registerHooks({ resolve: (specifier, context, next) => next(OWN.get(specifier) ?? specifier, context) });
