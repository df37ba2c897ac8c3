/** The client in a browser, with a petstore on another origin. Its tests run on Deno, Node and Bun too. */

import assert from "node:assert/strict";
import { chromium, type Page } from "playwright-core";
import { createPetstore } from "../../../mod.ts";
import { withDenoServe } from "../../support/http/deno_serve.ts";
import { fieldOf, response, withScript } from "../../support/http/scripted_server.ts";
import { CHROMIUM, NO_CHROMIUM } from "../../support/system/chromium.ts";
import { testUnless } from "../../support/system/commands.ts";
import { bundle, stopBundler } from "./support/bundle.ts";
import { APP_KEY } from "./support/mounts.ts";

const LARGEST = "9223372036854775807", SMALLEST = "-9223372036854775808";

/** What round_trip.ts returns. */
const EXACT = [LARGEST, LARGEST, SMALLEST, SMALLEST, LARGEST, SMALLEST].join();

/** Opens a page that can import the program. */
async function withPage(use: (page: Page, origin: string) => Promise<void>): Promise<void> {
  const script = await bundle("client/round_trip.ts");
  await stopBundler();
  const browser = await chromium.launch(CHROMIUM);
  try {
    await withDenoServe((request) => Promise.resolve(answer(request, script)), async (port) => {
      const page = await browser.newPage();
      const origin = `http://127.0.0.1:${port}`;
      await page.goto(origin);
      await use(page, origin);
      await page.close();
    });
  } finally {
    await browser.close();
  }
}

/** Responses for a page, its module, and an address below /moved that has moved. */
function answer({ url }: Request, script: string): Response {
  const { pathname } = new URL(url);
  if (pathname.startsWith("/moved")) return Response.redirect(`${new URL(url).origin}/elsewhere`);
  if (pathname !== "/client.js") return new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
  return new Response(script, { headers: { "content-type": "text/javascript" } });
}

/** Calls a function of the program, which gets the key too. */
function call(page: Page, name: string, baseUrl: string): Promise<unknown> {
  return page.evaluate(`import("/client.js").then(({ ${name} }) => ${name}("${baseUrl}", "${APP_KEY}"))`);
}

testUnless(NO_CHROMIUM)("the client keeps int64 exact and follows pages in Chromium, but no redirect", () => {
  const { handle } = createPetstore({ keys: [APP_KEY], cors: { origins: ["*"] } });
  // The petstore is on another origin than the page.
  return withDenoServe(handle, (port) =>
    withPage(async (page, origin) => {
      assert.equal(await call(page, "roundTrip", `http://127.0.0.1:${port}/v1`), EXACT);
      const moved = call(page, "roundTrip", `${origin}/moved`);
      await assert.rejects(moved, /POST \S+\/moved\/pets is redirected to another address; baseUrl must be/);
    }));
});

testUnless(NO_CHROMIUM)("a response that was cut is not kept by Chromium and given to the next attempts", () => {
  const pets = `[{"id":1,"name":"Rex","categoryId":${LARGEST},"status":"available"}]`;
  const fields = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "authorization",
    etag: 'W/"one"',
  };
  let reads = 0;
  const script = (request: string) => {
    if (request.startsWith("OPTIONS")) return response(204, "", fields);
    if (fieldOf(request, "if-none-match") !== undefined) return response(304, "", fields);
    // Without a length, a response ends with the connection, and so the first one looks whole.
    return response(200, reads++ ? pets : pets.slice(0, 20), fields).replace(/^content-length.*\r\n/m, "");
  };
  return withScript(script, ({ origin }) =>
    withPage(async (page) => {
      assert.equal(await call(page, "listCategories", `${origin}/v1`), LARGEST);
      assert.equal(reads, 2);
    }));
});
