/** Redocly lints the description as the packages contain it, as a server serves it, and as apps mount it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FORGETFUL, openApiOf, serverOpenApiOf } from "../../support/descriptions.ts";
import { readPage } from "../../support/pages.ts";
import { run, writeGenerated } from "./support/tools.ts";

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
  const { code, output } = await run("redocly", ["lint", "--config=lint/redocly.yaml", ...files]);
  assert.match(output, /Your API descriptions are valid/, output);
  assert.doesNotMatch(output, /\d warning/);
  assert.equal(code, 0);
});
