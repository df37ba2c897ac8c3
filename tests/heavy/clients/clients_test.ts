/**
 * The clients that the commands of docs/clients.md generate, compiled strictly and used against a
 * real server, and the description of which they are made, as Redocly sees it.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KEY } from "../../support/api.ts";
import { FORGETFUL, openApiOf, serverOpenApiOf } from "../../support/descriptions.ts";
import { readPage } from "../../support/pages.ts";
import { nextPage } from "./examples/common.ts";
import { generate, OUTPUTS, succeed, withServer, writeGenerated } from "./support/tools.ts";

const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

for (const project of ["tsconfig.json", "tsconfig.loose.json"]) {
  test(`generated code and the code that uses it compiles with ${project}`, async () => {
    await generate();
    assert.match(await succeed("tsc", ["--project", project, "--listFiles"]), /\/generated\/.*\/examples\//s);
  });
}

test("nextPage follows a list to its end", () =>
  withServer(async (origin) => {
    const ids: number[] = [];
    for (const name of ["Rex", "Bo", "Max"]) {
      await fetch(`${origin}/v1/pets`, { method: "POST", headers: HEADERS, body: `{"name":"${name}","categoryId":7}` });
    }
    for (let page: { cursor?: string } | undefined = {}; page;) {
      const query = new URLSearchParams({ limit: "2", ...page });
      const response: Response = await fetch(`${origin}/v1/pets?${query}`, { headers: HEADERS });
      ids.push(...(await response.json()).map(({ id }: { id: number }) => id));
      page = nextPage(response.headers);
    }
    assert.deepEqual(ids, [1, 2, 3]);
  }));

test("docs/clients.md shows nextPage and the functions for int64 as they are tested", () => {
  const page = readPage("docs/clients.md");
  const [, nextPageText = ""] = readPage("tests/heavy/clients/examples/common.ts").split("\n\n").slice(-2);
  for (const text of [nextPageText, readPage("tests/heavy/clients/examples/exact_json.ts")]) {
    assert.ok(text.length > 100 && page.includes(text), text);
  }
});

for (const name of ["openapi_fetch", "hey_api", "openapi_fetch_exact"]) {
  test(`the example ${name} prints what docs/clients.md says`, async () => {
    await generate();
    await withServer(async (origin) => {
      const env = { PETSTORE_URL: `${origin}/v1`, PETSTORE_KEY: KEY };
      assert.equal(await succeed(`examples/${name}.ts`, [], env), OUTPUTS[name.endsWith("_exact") ? 1 : 0]);
    });
  });
}

const ELSEWHERE = { basePath: "/api/v1", publicBaseUrl: "https://pets.example/api/v1", store: FORGETFUL };

/** Each in a file of its name, which lint/.redocly.lint-ignore.yaml knows. */
const DESCRIPTIONS: Record<string, string> = {
  packaged: readPage("openapi.json"),
  served: JSON.stringify(serverOpenApiOf({ cors: { origins: ["https://app.example"] } })),
  mounted: JSON.stringify(openApiOf(ELSEWHERE)),
  mounted_with_orders: JSON.stringify(openApiOf({ handleStoreOrders: () => new Response() })),
};

test("Redocly's strict rules find nothing wrong in openapi.json, and in the description as served and as mounted", async () => {
  const files = Object.entries(DESCRIPTIONS).map(([name, text]) => writeGenerated(`${name}.json`, text));
  const output = await succeed("redocly", ["lint", "--config=lint/redocly.yaml", ...files]);
  assert.match(output, /Your API descriptions are valid/);
  assert.doesNotMatch(output, /\d warning/);
});
