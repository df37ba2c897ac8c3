/** The description on the pages of documentation platforms, in Chromium, from another origin than that of the API. */

import assert from "node:assert/strict";
import { chromium, type Page } from "playwright-core";
import type { JsonObject } from "../../lib/json_types.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { describeServer } from "../../lib/server/http/description.ts";
import { createPetstore } from "../../mod.ts";
import { addSamples } from "../../tools/docs/openapi_file.ts";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { CHROMIUM, NO_CHROMIUM } from "../support/system/chromium.ts";
import { testUnless } from "../support/system/commands.ts";
import { KEY } from "./browser.ts";

interface Platform {
  /** Below node_modules. */
  script: string;
  /** The body of a page that shows the description of this address. */
  body: (url: string) => string;
  /** Texts that the page shows, beside the operations and their groups. */
  texts: string[];
  /** Sends a request from the page. */
  send?: (page: Page) => Promise<void>;
}

const AUTHENTICATION = JSON.stringify({
  preferredSecurityScheme: "bearer",
  securitySchemes: { bearer: { token: KEY } },
});

const PLATFORMS: Record<string, Platform> = {
  Redoc: {
    script: "redoc/bundles/redoc.standalone.js",
    body: (url) => `<redoc spec-url="${url}"></redoc><script src="script.js"></script>`,
    texts: ["Beta", "5 December 2030", "This client", "Animal is sold."],
  },
  Scalar: {
    script: "@scalar/api-reference/dist/browser/standalone.js",
    body: (url) =>
      `<div id="app"></div><script src="script.js"></script>
      <script>
      Scalar.createApiReference("#app", { url: "${url}", defaultOpenAllTags: true, authentication: ${AUTHENTICATION} });
      </script>`,
    texts: ["Beta", "Production"],
    async send(page) {
      await page.getByRole("button", { name: /Test Request/ }).first().click();
      await page.getByRole("button", { name: /^Send/ }).first().click();
    },
  },
  RapiDoc: {
    script: "rapidoc/dist/rapidoc-min.js",
    body: (url) =>
      `<script type="module" src="script.js"></script>
      <rapi-doc spec-url="${url}" render-style="read" load-fonts="false"></rapi-doc>`,
    texts: ["Beta", "5 December 2030", "This client", "Production"],
  },
};

/** No fonts and logos of other hosts. Playwright's own interception would answer preflights. */
const LOCAL = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";

const TYPES = { js: "text/javascript; charset=utf-8", page: "text/html; charset=utf-8" };

function textOf(content: BodyInit, type: keyof typeof TYPES): Response {
  return new Response(content, { headers: { "content-type": TYPES[type] } });
}

for (const [name, { script, body, texts, send }] of Object.entries(PLATFORMS)) {
  testUnless(NO_CHROMIUM)(
    `${name} shows the operations in their groups, with ${texts.join(", ")}${send ? ", and sends a request" : ""}`,
    async () => {
      const requested: string[] = [];
      let description: JsonObject = {}, html = "";
      const bundle = await Deno.readFile(new URL(`node_modules/${script}`, import.meta.url));
      const site = ({ url }: Request) => url.endsWith(".js") ? textOf(bundle, "js") : textOf(html, "page");
      await withDenoServe((request) => Promise.resolve(site(request)), async (sitePort) => {
        const origin = `http://127.0.0.1:${sitePort}`;
        const { handle } = createPetstore({ keys: [KEY], cors: { origins: [origin] } });
        const api = async (request: Request) => {
          if (request.url.endsWith("/openapi.json")) {
            return Response.json(description, { headers: { "access-control-allow-origin": "*" } });
          }
          const response = await handle(request);
          requested.push(`${request.method} ${response.status}`);
          return response;
        };
        await withDenoServe(api, async (port) => {
          const base = `http://127.0.0.1:${port}`;
          const options = checkOptions({ keys: [KEY], stability: { listPets: "beta" } });
          description = addSamples(describeServer(options, [{ url: `${base}/v1`, description: "Production" }]));
          html = `<!DOCTYPE html><html lang="en"><body>${body(`${base}/openapi.json`)}</body></html>`;
          const browser = await chromium.launch({ ...CHROMIUM, args: [...CHROMIUM.args, LOCAL] });
          try {
            const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
            await page.goto(origin);
            const operations = ["List all animals", "Add an animal", "Get an animal", "Store orders"];
            for (const text of [...operations, "Pets", "Store", ...texts]) {
              await page.getByText(text).first().waitFor({ state: "attached" });
            }
            if (send) {
              const answered = page.waitForResponse((response) => response.url().startsWith(`${base}/v1/pets`));
              await send(page);
              await answered;
              assert.ok(requested.includes("OPTIONS 204") && requested.includes("GET 200"), requested.join());
            }
          } finally {
            await browser.close();
          }
        });
      });
    },
  );
}
