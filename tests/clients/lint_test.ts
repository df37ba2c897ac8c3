/** Two linters find nothing wrong in the description, as a server serves it and as an app mounts it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../lib/openapi/openapi.ts";
import type { PetStore, PetstoreOptions } from "../../mod.ts";
import { openApiOf } from "../support/descriptions.ts";
import { fetchDescription, withServer, writeGenerated } from "./support/service.ts";
import { run } from "./support/tools.ts";

/** A store that does not recognize a repeated request: the description has 501 instead of 422. */
const FORGETFUL: PetStore = {
  create: () => 1n,
  get: () => undefined,
  list: () => ({ json: "[]" }),
  check: () => {},
  close: () => {},
};

const MOUNTED: Record<string, Partial<PetstoreOptions>> = {
  "mounted.json": {},
  "mounted_elsewhere.json": {
    basePath: "/api/v1",
    publicBaseUrl: "https://pets.example/api/v1",
    store: FORGETFUL,
  },
  "mounted_with_orders.json": { handleStoreOrders: () => new Response(), cors: { origins: ["*"] } },
};

/** Every description, by its path in the folder. */
async function collect(): Promise<string[]> {
  const served = await withServer((service) => fetchDescription(service, "served.json"));
  const granted = await withServer(
    (service) => fetchDescription(service, "served_with_origins.json"),
    ["--cors-origin=https://app.example"],
  );
  const mounted = Object.entries(MOUNTED).map(([name, options]) => write(name, openApiOf(options)));
  return [served, granted, ...mounted];
}

function write(name: string, description: JsonObject): string {
  return writeGenerated(name, JSON.stringify(description));
}

/** The arguments of each linter, and what it prints for no problem and for the problem that the tests make. */
const LINTERS: [name: string, args: string[], nothing: RegExp, something: RegExp][] = [
  [
    "redocly",
    ["lint", "--config=lint/redocly.yaml"],
    /Your API descriptions are valid/,
    /Component: "Unused" is never used/,
  ],
  [
    "spectral",
    ["lint", "--ruleset=lint/spectral.yaml", "--fail-severity=hint", "--display-only-failures"],
    /No results with a severity of 'hint' or higher found!/,
    /oas3-unused-component/,
  ],
];

for (const [name, args, nothing, something] of LINTERS) {
  test(`${name} finds nothing wrong in the description, as served and as mounted`, async () => {
    const { code, output } = await run(name, [...args, ...await collect()]);
    assert.match(output, nothing, output);
    assert.doesNotMatch(output, /\d warning/);
    assert.equal(code, 0);
  });

  test(`${name} finds an unused component`, async () => {
    const description = openApiOf();
    const components = description["components"] as JsonObject;
    const responses = { ...components["responses"] as JsonObject, Unused: { description: "Nothing refers to this." } };
    const path = write("wrong.json", { ...description, components: { ...components, responses } });
    const { code, output } = await run(name, [...args, path]);
    assert.match(output, something);
    assert.notEqual(code, 0);
  });
}
