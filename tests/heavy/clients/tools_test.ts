/** Redocly lints the description as a server serves it, as an app mounts it, and as the packages contain it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PetstoreOptions } from "../../../mod.ts";
import { FORGETFUL, openApiOf } from "../../support/descriptions.ts";
import { readPage } from "../../support/pages.ts";
import { fetchDescription, withServer, writeGenerated } from "./support/service.ts";
import { run } from "./support/tools.ts";

const MOUNTED: Record<string, Partial<PetstoreOptions>> = {
  "mounted.json": {},
  // Its failures are others.
  "mounted_elsewhere.json": { basePath: "/api/v1", publicBaseUrl: "https://pets.example/api/v1", store: FORGETFUL },
  "mounted_with_orders.json": { handleStoreOrders: () => new Response(), cors: { origins: ["*"] } },
};

test("Redocly's strict rules find nothing wrong in openapi.json, and in the description as served and as mounted", async () => {
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
  const args = ["lint", "--config=lint/redocly.yaml", packaged, ...served, granted, ...mounted];
  const { code, output } = await run("redocly", args);
  assert.match(output, /Your API descriptions are valid/, output);
  assert.doesNotMatch(output, /\d warning/);
  assert.equal(code, 0);
});
