/** The description is whole: nothing in it is left over, and nothing that it refers to is missing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore, createOpenApi, type JsonObject, type OpenApiOptions } from "../../mod.ts";

/** A store that cannot tell a request that is sent again. */
const FORGETFUL = { ...createMemoryStore(), createOnce: undefined } as unknown as NonNullable<OpenApiOptions["store"]>;

const VARIANTS: Record<string, OpenApiOptions> = {
  "as it comes": {},
  "for a store that remembers no requests": { store: FORGETFUL },
  "with store orders and cross-origin use": { handleStoreOrders: () => new Response(), cors: { origins: ["*"] } },
};

for (const [what, options] of Object.entries(VARIANTS)) {
  test(`createOpenApi() refers to every component that it has, and to no other: ${what}`, () => {
    const description = createOpenApi(options);
    const { securitySchemes: _named, ...components } = description["components"] as Record<string, JsonObject>;
    const present = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`)
    );
    const referred = [...JSON.stringify(description).matchAll(/"\$ref":"([^"]+)"/g)].map(([, pointer]) => pointer);
    assert.ok(present.length > 15);
    assert.deepEqual([...new Set(referred)].sort(), present.sort());
  });
}

test("createOpenApi() speaks of preflights only where there are any", () => {
  const words = (options: OpenApiOptions) => String((createOpenApi(options)["info"] as JsonObject)["description"]);
  assert.doesNotMatch(words({}), /preflight/i);
  assert.match(words({ cors: { origins: ["https://app.example"] } }), /Preflights of allowed origins/);
});
