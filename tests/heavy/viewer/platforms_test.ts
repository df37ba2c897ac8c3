/** The description on the pages of documentation platforms, in Chromium, from another origin than that of the API. */

import { type HttpMethod, OpenApiToEndpointConverter } from "@mintlify/validation";
import { validate } from "@readme/openapi-parser";
import assert from "node:assert/strict";
import { test } from "node:test";
import Oas from "oas";
import type { Page } from "playwright-core";
import type { JsonObject } from "../../../lib/operations/json_types.ts";
import { checkSettings } from "../../../lib/petstore/checked_options.ts";
import { describeServer } from "../../../lib/server/service/description.ts";
import { createPetstore } from "../../../mod.ts";
import { withSamples } from "../../../lib/server/service/code_samples.ts";
import { withDenoServe } from "../../support/http/deno_serve.ts";
import { readPage } from "../../support/pages.ts";
import { NO_CHROMIUM } from "../../support/system/chromium.ts";
import { testUnless } from "../../support/system/commands.ts";
import { KEY, withBrowser } from "./browser.ts";
import config from "./deno.json" with { type: "json" };

interface Platform {
  /** The path of the script below node_modules. */
  script: string;
  /** The body of a page that shows the description of this address. */
  body: (url: string) => string;
  isModule?: boolean;
  /** What is clicked, and what it opens. A page may then hide what an earlier click has opened. */
  opened?: Record<string, string>;
  /** Groups and labels. */
  names: string[];
  /** Parts of other texts. */
  texts: string[];
  /** Sends a request from the page. */
  send?: (page: Page) => Promise<void>;
}

const SUNSET = "5 December 2030";

const PLATFORMS: Record<string, Platform> = {
  Redoc: {
    script: "redoc/bundles/redoc.standalone.js",
    body: (url) => `<redoc spec-url="${url}"></redoc>`,
    isModule: true,
    opened: { "/store/orders": "Store orders", "/pets/{petId}": "Get an animal" },
    names: ["Pets", "Animals", "Store", "Orders", "Beta", "deprecated"],
    texts: [SUNSET, "Production", "$PETSTORE_KEY", "Animal is sold."],
  },
  Scalar: {
    script: "@scalar/api-reference/dist/browser/standalone.js",
    body: (url) =>
      `<div id="app"></div>
      <script type="module">Scalar.createApiReference("#app", { url: "${url}", defaultOpenAllTags: true });</script>`,
    opened: { "Get an animal": "deprecated" },
    names: ["Pets", "Animals", "Store", "Orders", "Beta"],
    texts: [SUNSET, "Production", "$PETSTORE_KEY"],
    async send(page) {
      await page.getByLabel("Bearer Token").fill(KEY);
      await press(page, "Test Request", "Send");
    },
  },
  RapiDoc: {
    script: "rapidoc/dist/rapidoc-min.js",
    body: (url) => `<rapi-doc spec-url="${url}" render-style="read" load-fonts="false"></rapi-doc>`,
    names: ["Animals", "Orders", "Beta", "DEPRECATED"],
    texts: [SUNSET, "Production", "@petstore/client"],
    async send(page) {
      await page.getByPlaceholder("api-token").fill(KEY);
      await press(page, "SET", "TRY");
    },
  },
};

const OPERATIONS = ["List all animals", "Add an animal", "Get an animal", "Store orders"];

function describe(url: string): JsonObject {
  const settings = checkSettings({ stability: { listPets: "beta" } });
  return withSamples(describeServer(settings, [{ url, description: "Production" }]));
}

async function press(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) await page.getByRole("button", { name }).first().click();
}

/** No fonts and logos of other hosts. Playwright's own interception would answer preflights. */
const LOCAL = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";

/** Opens a page of one origin, which shows the description of a server of another. */
async function withSite(
  { script, body, isModule }: Platform,
  use: (page: Page, requested: string[]) => Promise<void>,
): Promise<void> {
  const bundle = await Deno.readFile(new URL(`node_modules/${script}`, import.meta.url));
  let html = "";
  const site = ({ url }: Request) => {
    const [content, type] = url.endsWith(".js") ? [bundle, "javascript"] : [html, "html"];
    return Promise.resolve(new Response(content, { headers: { "content-type": `text/${type}; charset=utf-8` } }));
  };
  await withDenoServe(site, async (sitePort) => {
    const origin = `http://127.0.0.1:${sitePort}`;
    const { handle } = createPetstore({ keys: [KEY], cors: { origins: [origin] } });
    const requested: string[] = [];
    const api = async (request: Request) => {
      if (request.url.endsWith("/openapi.json")) {
        return Response.json(describe(new URL("v1", request.url).href), {
          headers: { "access-control-allow-origin": "*" },
        });
      }
      const response = await handle(request);
      requested.push(`${request.method} ${response.status}`);
      return response;
    };
    await withDenoServe(api, async (port) => {
      const tag = `<script${isModule ? ' type="module"' : ""} src="script.js"></script>`;
      html = `<!DOCTYPE html><html lang="en"><body>${
        body(`http://127.0.0.1:${port}/openapi.json`)
      }${tag}</body></html>`;
      await withBrowser(async (browser) => {
        const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
        await page.goto(origin);
        await use(page, requested);
      }, [LOCAL]);
    });
  });
}

for (const [name, platform] of Object.entries(PLATFORMS)) {
  const { opened = {}, names, texts, send } = platform;
  testUnless(NO_CHROMIUM)(
    `${name} shows the operations, with ${[...names, ...texts].join(", ")}${send ? ", and sends a request" : ""}`,
    () =>
      withSite(platform, async (page, requested) => {
        const see = (text: string, exact = true) =>
          page.getByText(text, { exact }).first().waitFor({ state: "attached" });
        for (const [text, shown] of Object.entries(opened)) {
          await page.getByText(text, { exact: true }).first().click();
          await see(shown);
        }
        const seen = Object.values(opened);
        for (const text of [...OPERATIONS, ...names]) if (!seen.includes(text)) await see(text);
        for (const text of texts) await see(text, false);
        if (!send) return;
        const answered = page.waitForResponse((response) => response.url().includes("/v1/pets"));
        await send(page);
        await answered;
        assert.ok(requested.includes("OPTIONS 204") && requested.includes("GET 200"), requested.join());
      }),
  );
}

test("docs/clients.md names the versions of the platforms", () => {
  for (const [name, { script }] of Object.entries(PLATFORMS)) {
    const [, pinned] = Object.entries(config.imports).find(([id]) => script.startsWith(`${id}/`)) ?? [];
    if (pinned) assert.ok(readPage("docs/clients.md").includes(`${name} ${pinned.replace(/.*@/, "")}`), pinned);
  }
});

// The pages of ReadMe and Mintlify are not packages, but their parsers are.
const TEXT = JSON.stringify(describe("https://pets.example/v1"));

const DEPRECATED = OPERATIONS.map((name) => name === "Get an animal");

test("the parser of ReadMe finds no fault, and the operations with their groups and the deprecation", async () => {
  assert.deepEqual(await validate(JSON.parse(TEXT)), { valid: true, warnings: [], specification: "OpenAPI" });
  const operations = Object.values(new Oas(TEXT).getPaths()).flatMap((methods) => Object.values(methods));
  assert.deepEqual(operations.map((operation) => operation.getSummary()), OPERATIONS);
  assert.deepEqual(operations.map((operation) => operation.isDeprecated()), DEPRECATED);
  assert.equal(operations.map((operation) => operation.getTags()[0]?.name).join(), "animals,animals,animals,store");
});

test("the parser of Mintlify finds the operations with the label, the deprecation, the server and the samples", () => {
  const description = JSON.parse(TEXT);
  const operations = Object.keys(description.paths).flatMap((path) =>
    Object.keys(description.paths[path]).map((method) =>
      OpenApiToEndpointConverter.convert(description, path, method as HttpMethod)
    )
  );
  assert.deepEqual(operations.map(({ title }) => title), OPERATIONS);
  assert.deepEqual(operations.map(({ deprecated }) => deprecated), DEPRECATED);
  assert.deepEqual(operations.map(({ xMint }) => xMint?.metadata?.tag), ["Beta", undefined, undefined, undefined]);
  for (const { request, servers } of operations) {
    assert.equal(request.codeSamples?.[0]?.label, "curl");
    assert.equal(servers?.[0]?.description, "Production");
  }
});
