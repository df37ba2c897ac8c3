/** Linters and Postman, with the description as a server serves it and as an app mounts it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PetstoreOptions } from "../../../mod.ts";
import { FORGETFUL, openApiOf } from "../../support/descriptions.ts";
import { readPage } from "../../support/pages.ts";
import { fetchDescription, KEY, withServer, writeGenerated } from "./support/service.ts";
import { FOLDER, run, succeed } from "./support/tools.ts";

const MOUNTED: Record<string, Partial<PetstoreOptions>> = {
  "mounted.json": {},
  // Its failures are others.
  "mounted_elsewhere.json": { basePath: "/api/v1", publicBaseUrl: "https://pets.example/api/v1", store: FORGETFUL },
  "mounted_with_orders.json": { handleStoreOrders: () => new Response(), cors: { origins: ["*"] } },
};

/** The arguments of each linter, and what it prints for no problem. */
const LINTERS: [name: string, args: string[], nothing: RegExp][] = [
  ["redocly", ["lint", "--config=lint/redocly.yaml"], /Your API descriptions are valid/],
  [
    "spectral",
    ["lint", "--ruleset=lint/spectral.yaml", "--fail-severity=hint", "--display-only-failures"],
    /No results with a severity of 'hint' or higher found!/,
  ],
];

for (const [name, args, nothing] of LINTERS) {
  test(`${name} finds nothing wrong in openapi.json, and in the description as served and as mounted`, async () => {
    const packaged = writeGenerated("packaged.json", readPage("openapi.json"));
    const served = await withServer(async (service) => [
      await fetchDescription(service, "served.json"),
      await fetchDescription(service, "served_with_samples.json", "?samples"),
    ]);
    const granted = await withServer(
      (service) => fetchDescription(service, "served_with_origins.json"),
      ["--cors-origin=https://app.example"],
    );
    const mounted = Object.entries(MOUNTED).map(([name, options]) =>
      writeGenerated(name, JSON.stringify(openApiOf(options)))
    );
    const { code, output } = await run(name, [...args, packaged, ...served, granted, ...mounted]);
    assert.match(output, nothing, output);
    assert.doesNotMatch(output, /\d warning/);
    assert.equal(code, 0);
  });
}

test("openapi.json converts to OpenAPI 3.0, which Redocly finds valid, and Redocly makes a page of it", async () => {
  const path = writeGenerated("packaged.json", readPage("openapi.json")), converted = "generated/packaged_3_0.json";
  await succeed("openapi-down-convert", ["--allOf", "--input", path, "--output", converted]);
  assert.equal(JSON.parse(Deno.readTextFileSync(FOLDER + converted)).openapi, "3.0.3");
  assert.match(await succeed("redocly", ["lint", "--extends=spec", converted]), /Your API description is valid/);
  await succeed("redocly", ["build-docs", path, "--output=generated/packaged.html"]);
  assert.match(Deno.readTextFileSync(`${FOLDER}generated/packaged.html`), />Pets<.*>Store</s);
});

/** A part of newman's report. */
type Execution = { item: { name: string }; response: { code: number; stream: { data: number[] } } };

test("a Postman collection of the description runs with no unexpected response, and int64 stays exact", () =>
  withServer(async (service) => {
    const [collection, report] = ["generated/collection.json", "generated/newman.json"];
    const path = await fetchDescription(service, "postman.json");
    const options = "enableOptionalParameters=false,parametersResolution=Example,folderStrategy=Tags";
    await succeed("openapi2postmanv2", ["-s", path, "-o", collection, "-O", options]);
    const text = Deno.readTextFileSync(FOLDER + collection);
    assert.match(text, /\\"categoryId\\": 7,/);
    Deno.writeTextFileSync(FOLDER + collection, text.replaceAll('Id\\": 7,', 'Id\\": 9223372036854775807,'));
    const variables = ["--env-var", `baseUrl=${service.base}`, "--env-var", `bearerToken=${KEY}`];
    await succeed("newman", ["run", collection, ...variables, "--reporters", "json", "--reporter-json-export", report]);
    const { run } = JSON.parse(Deno.readTextFileSync(FOLDER + report));
    assert.deepEqual(run.failures, []);
    const seen = run.executions.map(({ item, response }: Execution) => {
      const text = new TextDecoder().decode(new Uint8Array(response.stream.data));
      return [item.name, response.code, response.code < 300 ? text : ""];
    });
    const pet = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}';
    assert.deepEqual(seen, [
      ["List all animals", 200, "[]"],
      ["Add an animal", 201, pet],
      ["Get an animal", 200, pet],
      ["Store orders", 501, ""],
    ]);
  }));
