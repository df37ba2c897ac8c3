/** The client in a browser, with a petstore on another origin. Its tests run on Deno, Node and Bun too. */

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { createPetstore } from "../../../mod.ts";
import { withDenoServe } from "../../support/http/deno_serve.ts";
import { CHROMIUM, NO_CHROMIUM } from "../../support/system/chromium.ts";
import { testUnless } from "../../support/system/commands.ts";
import { bundle, stopBundler } from "./support/bundle.ts";
import { APP_KEY } from "./support/mounts.ts";

const LARGEST = "9223372036854775807", SMALLEST = "-9223372036854775808";

/** What round_trip.ts returns. */
const EXACT = [LARGEST, LARGEST, SMALLEST, SMALLEST, LARGEST, SMALLEST].join();

/** Serves a petstore that web pages may use, and bundles the program. `use` gets the address of the API. */
async function withPetstore(use: (baseUrl: string, script: string) => Promise<void>): Promise<void> {
  const script = await bundle("client/round_trip.ts");
  await stopBundler();
  const { handle } = createPetstore({ keys: [APP_KEY], cors: { origins: ["*"] } });
  await withDenoServe(handle, (port) => use(`http://127.0.0.1:${port}/v1`, script));
}

/** Responses for a page, its module, and an address below /moved that has moved. */
function answer({ url }: Request, script: string): Response {
  const { pathname } = new URL(url);
  if (pathname.startsWith("/moved")) return Response.redirect(`${new URL(url).origin}/elsewhere`);
  if (pathname !== "/client.js") return new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
  return new Response(script, { headers: { "content-type": "text/javascript" } });
}

testUnless(NO_CHROMIUM)(
  "the client keeps int64 exact and follows pages in Chromium, but no redirect",
  () =>
    withPetstore(async (baseUrl, script) => {
      const browser = await chromium.launch(CHROMIUM);
      try {
        await withDenoServe((request) => Promise.resolve(answer(request, script)), async (port) => {
          const page = await browser.newPage();
          await page.goto(`http://127.0.0.1:${port}/`);
          const call = (base: string) =>
            `import("/client.js").then(({ roundTrip }) => roundTrip("${base}", "${APP_KEY}"))`;
          // The petstore is on another origin than the page.
          assert.equal(await page.evaluate(call(baseUrl)), EXACT);
          const moved = page.evaluate(call(`http://127.0.0.1:${port}/moved`));
          await assert.rejects(moved, /POST \S+\/moved\/pets is redirected to another address; baseUrl must be/);
          await page.close();
        });
      } finally {
        await browser.close();
      }
    }),
);
