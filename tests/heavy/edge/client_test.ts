/** The client in a browser, with a petstore on another origin. Its tests run on Deno, Node and Bun too. */

import assert from "node:assert/strict";
import { chromium, type Page } from "playwright-core";
import { createPetstore } from "../../../mod.ts";
import { withDenoServe } from "../../support/http/deno_serve.ts";
import { fieldOf, response, withScript } from "../../support/http/scripted_server.ts";
import { CHROMIUM, NO_CHROMIUM } from "../../support/system/chromium.ts";
import { testUnless } from "../../support/system/commands.ts";
import { bundle } from "./support/bundle.ts";
import { APP_KEY } from "./support/mounts.ts";

const test = testUnless(NO_CHROMIUM);
const LARGEST = "9223372036854775807", SMALLEST = "-9223372036854775808";

/** Opens a page with the program of support/browser_program.ts. */
async function withPage(use: (page: Page) => Promise<void>): Promise<void> {
  const content = await bundle("support/browser_program.ts");
  const browser = await chromium.launch(CHROMIUM);
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ type: "module", content });
    await use(page);
  } finally {
    await browser.close();
  }
}

function roundTrip(page: Page, baseUrl: string, ...categories: string[]): Promise<unknown> {
  return page.evaluate(`roundTrip(...${JSON.stringify([baseUrl, APP_KEY, ...categories])})`);
}

/** What lets pages of any origin read a response. */
const CORS = { "access-control-allow-origin": "*", "access-control-allow-headers": "*, authorization" };

test("the client keeps int64 exact and follows pages in Chromium", () => {
  const { handle } = createPetstore({ keys: [APP_KEY], cors: { origins: ["*"] } });
  return withDenoServe(handle, (port) =>
    withPage(async (page) => {
      const exact = [LARGEST, LARGEST, SMALLEST, SMALLEST, LARGEST, SMALLEST].join();
      assert.equal(await roundTrip(page, `http://127.0.0.1:${port}/v1`, LARGEST, SMALLEST), exact);
    }));
});

test("a response that was cut is not kept by Chromium and given to the next attempts", () => {
  const pets = `[{"id":1,"name":"Rex","categoryId":${LARGEST},"status":"available"}]`;
  const fields = { ...CORS, etag: 'W/"one"' };
  let reads = 0;
  const script = (request: string) => {
    if (request.startsWith("OPTIONS")) return response(204, "", fields);
    if (fieldOf(request, "if-none-match") !== undefined) return response(304, "", fields);
    // Without a length, a response ends with the connection, and so the first one looks whole.
    return response(200, reads++ ? pets : pets.slice(0, 20), fields).replace(/^content-length.*\r\n/m, "");
  };
  return withScript(script, ({ origin }) =>
    withPage(async (page) => {
      assert.equal(await roundTrip(page, `${origin}/v1`), LARGEST);
      assert.equal(reads, 2);
    }));
});
