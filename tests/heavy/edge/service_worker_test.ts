/** A petstore in a Service Worker of Chromium. */

import assert from "node:assert/strict";
import { stop as stopBundler } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { HTTP_CONTRACT } from "../../support/contract/all.ts";
import { CASE_HEADER } from "../../support/by_case.ts";
import { KEY } from "../../support/api.ts";
import { withDenoServe } from "../../support/http/deno_serve.ts";
import { CHROMIUM, NO_CHROMIUM } from "../../support/system/chromium.ts";
import { testUnless } from "../../support/system/commands.ts";
import { bundle } from "./support/bundle.ts";
import { APP_KEY, type Ask, type BasePath, mountOf, useMount } from "./support/mounts.ts";

const testWorker = testUnless(NO_CHROMIUM);

/** Modules that the contract's client imports, as packages for the page. */
const STAND_INS = {
  "node:assert/strict": "./support/assert_strict.ts",
  "ajv/dist/2020.js": "ajv/dist/2020.js",
  "ajv-formats": "ajv-formats",
};

async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await chromium.launch(CHROMIUM);
  try {
    await use(browser);
  } finally {
    await browser.close();
    await stopBundler();
  }
}

async function withPage(
  browser: Browser,
  files: Record<string, string>,
  use: (page: Page, asked: string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const answer = ({ url }: Request): Response => {
    const { pathname } = new URL(url);
    asked.push(pathname);
    if (pathname === "/hello") return new Response("Hello from the app");
    if (pathname === "/") return new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
    const file = files[pathname];
    if (file === undefined) return new Response("The app has no such page", { status: 404 });
    return new Response(file, { headers: { "content-type": "text/javascript" } });
  };
  await withDenoServe((request) => Promise.resolve(answer(request)), async (port) => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    await use(page, asked);
    await page.close();
  });
}

async function filesFor(basePath: BasePath, petstore: string): Promise<Record<string, string>> {
  return {
    "/sw.js": await bundle("service_worker/sw.js", { basePath, petstore }),
    "/page.js": await bundle("service_worker/page.js"),
    "/contract.js": await bundle("support/contract_page.ts", { standIns: STAND_INS }),
  };
}

/** Imports the modules first: a petstore at the root would answer the requests for them. */
const START = 'import("/contract.js").then(() => import("/page.js")).then(({ startPetstore }) => startPetstore())';

/**
 * A page cannot set `Origin`, the browser adds it only on the network, and requests to other origins do not reach a
 * Service Worker. So `cors` has no effect here, and the case that expects a grant must get none.
 */
const NEEDS_ORIGIN = /^sends a listed origin the CORS headers/;

testWorker("a Service Worker keeps the HTTP contract", async (context) => {
  await withBrowser(async (browser) => {
    for (const basePath of ["/v1", ""] as const) {
      await withPage(browser, await filesFor(basePath, "support/contract_petstore.ts"), async (page) => {
        await page.evaluate(START);
        for (const [number, contractCase] of HTTP_CONTRACT.entries()) {
          const { name, dependsOn = [] } = contractCase;
          if (!dependsOn.includes("host") || mountOf(contractCase) !== basePath) continue;
          const without = NEEDS_ORIGIN.test(name) ? ", but for Origin, which a page cannot send" : "";
          const title = `mounted at ${basePath || "the root"}: the petstore ${name}${without}`;
          await context.test(title, () => without ? expectNoGrant(page, number) : page.evaluate(`runCase(${number})`));
        }
      });
    }
  });
});

async function expectNoGrant(page: Page, number: number): Promise<void> {
  await assert.rejects(page.evaluate(`runCase(${number})`), /AssertionError/);
  const headers = { origin: "https://app.example", authorization: `Bearer ${KEY}`, [CASE_HEADER]: `${number}` };
  const response = await askIn(page)("/v1/pets", { headers });
  assert.deepEqual([response.status, response.headers.get("access-control-allow-origin")], [200, null]);
  assert.equal(response.headers.get("vary"), "Origin");
}

function askIn(page: Page): Ask {
  return async (path, init) => {
    const { text, ...parts } = await page.evaluate(async ([path, init]) => {
      const response = await fetch(path, init);
      const headers = [...response.headers] as [string, string][];
      return { status: response.status, headers, text: await response.text() };
    }, [path, init ?? {}] as const);
    return new Response(text, parts);
  };
}

testWorker("a page has a petstore in its Service Worker, and no request for it reaches a server", async (context) => {
  await withBrowser(async (browser) => {
    // The petstore is not at the root, where it would answer for the page's own files.
    for (const basePath of ["/v1", "/api/v1"] as const) {
      await withPage(browser, await filesFor(basePath, "../../../mod.ts"), async (page, asked) => {
        await page.evaluate(START);
        await context.test(`mounted at ${basePath}`, () => useMount(basePath, askIn(page)));
        assert.deepEqual(asked.filter((path) => path.startsWith(basePath)), []);
      });
    }
  });
});

testWorker("the pets of a Service Worker outlive the page, and end with the worker", async () => {
  await withBrowser(async (browser) => {
    await withPage(browser, await filesFor("/v1", "../../../mod.ts"), async (page) => {
      const ask = askIn(page);
      const headers = { authorization: `Bearer ${APP_KEY}`, "content-type": "application/json" };
      await page.evaluate(START);
      await ask("/v1/pets", { method: "POST", headers, body: '{"name":"Rex","categoryId":7}' });
      await page.reload();
      assert.equal((await (await ask("/v1/pets", { headers })).json()).length, 1);

      const session = await page.context().newCDPSession(page);
      await session.send("ServiceWorker.enable");
      // The browser does this by itself when a worker has been idle for half a minute.
      await session.send("ServiceWorker.stopAllWorkers");
      assert.equal(await (await ask("/v1/pets", { headers })).text(), "[]");
    });
  });
});
