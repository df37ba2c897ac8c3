/** Two linters read the description, as it is served and as an app mounts it, and have nothing to say. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenApi, type JsonObject, type OpenApiOptions, type PetStore } from "../../mod.ts";
import { fetchDescription, withServer } from "./support/service.ts";
import { FOLDER, run } from "./support/tools.ts";

/** A store that cannot tell a request that is sent again: the description says 501 in the place of 422. */
const FORGETFUL: PetStore = {
  create: () => 1n,
  get: () => undefined,
  list: () => ({ json: "[]" }),
  check: () => {},
  close: () => {},
};

const MOUNTED: Record<string, OpenApiOptions> = {
  "mounted.json": {},
  "mounted_elsewhere.json": {
    basePath: "/api/v1",
    servers: [{ url: "https://pets.example/api/v1" }],
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
  const mounted = Object.entries(MOUNTED).map(([name, options]) => write(name, createOpenApi(options)));
  return [served, granted, ...mounted];
}

function write(name: string, description: JsonObject): string {
  Deno.writeTextFileSync(`${FOLDER}/generated/${name}`, JSON.stringify(description));
  return `generated/${name}`;
}

interface Linter {
  name: string;
  args: string[];
  /** What it prints of a description that has no problem. */
  nothing: RegExp;
  /** What it prints of the problem that the tests make. */
  something: RegExp;
}

const LINTERS: Linter[] = [
  {
    name: "redocly",
    args: ["lint", "--config=lint/redocly.yaml"],
    nothing: /Your API descriptions are valid/,
    something: /Component: "Unused" is never used/,
  },
  {
    name: "spectral",
    args: ["lint", "--ruleset=lint/spectral.yaml", "--fail-severity=hint", "--display-only-failures"],
    nothing: /No results with a severity of 'hint' or higher found!/,
    something: /oas3-unused-component/,
  },
];

for (const { name, args, nothing, something } of LINTERS) {
  test(`${name} finds nothing wrong in the description, neither as served nor as mounted`, async () => {
    const { code, output } = await run(name, [...args, ...await collect()]);
    assert.match(output, nothing, output);
    assert.doesNotMatch(output, /\d warning/);
    assert.equal(code, 0);
  });

  test(`${name} does find what is wrong`, async () => {
    const description = createOpenApi();
    const components = description["components"] as JsonObject;
    const responses = { ...components["responses"] as JsonObject, Unused: { description: "Nothing refers to this." } };
    const path = write("wrong.json", { ...description, components: { ...components, responses } });
    const { code, output } = await run(name, [...args, path]);
    assert.match(output, something);
    assert.notEqual(code, 0);
  });
}
