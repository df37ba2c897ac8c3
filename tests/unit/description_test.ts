/** The OpenAPI description: complete, without unused parts, and true to the options. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore, createOpenApi, type JsonObject, type OpenApiOptions } from "../../mod.ts";

/** A store without idempotency. */
const WITHOUT_CREATE_ONCE = { ...createMemoryStore(), createOnce: undefined } as unknown as NonNullable<
  OpenApiOptions["store"]
>;

const VARIANTS: Record<string, OpenApiOptions> = {
  "by default": {},
  "for a store without createOnce()": { store: WITHOUT_CREATE_ONCE },
  "with store orders and CORS": { handleStoreOrders: () => new Response(), cors: { origins: ["*"] } },
};

for (const [variant, options] of Object.entries(VARIANTS)) {
  test(`createOpenApi() refers to all of its components and to no others, ${variant}`, () => {
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

test("createOpenApi() mentions preflights only with the option cors", () => {
  const words = (options: OpenApiOptions) => String((createOpenApi(options)["info"] as JsonObject)["description"]);
  assert.doesNotMatch(words({}), /preflight/i);
  assert.match(words({ cors: { origins: ["https://app.example"] } }), /Preflights of allowed origins/);
});
