/** Opens the page of a real server in Chromium. */

import { setTimeout as delay } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { withFreshServer } from "../../support/server/server_process.ts";
import { CHROMIUM } from "../../support/system/chromium.ts";

export const KEY = "pk_0123456789abcdef";

/** A page, and what it has sent and reported since it was opened. */
export interface OpenPage {
  page: Page;
  origin: string;
  /** The messages of the console, with errors of the page and violations of its policy. */
  complaints: string[];
  requested: string[];
  /** The body of every request that has one. */
  sent: string[];
}

/** How long a page that draws may take for its next frame, in milliseconds. */
const FRAME = 10_000;

/**
 * Starts a browser, which ends after `use`. Without a GPU, Chromium may stop drawing, and then a
 * click waits for a frame until its time is over. Then another browser begins anew, once.
 */
async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  for (let isAgain = false;; isAgain = true) {
    const browser = await chromium.launch(CHROMIUM);
    try {
      return await use(browser);
    } catch (error) {
      if (isAgain || await isDrawn(browser)) throw error;
      console.warn("Chromium draws no more frames: the test begins anew in another browser");
    } finally {
      await browser.close();
    }
  }
}

/** Whether all pages draw frames. */
async function isDrawn(browser: Browser): Promise<boolean> {
  const drawn = browser.contexts().flatMap((context) => context.pages()).map((page) => {
    const frame = page.evaluate("new Promise((resolve) => requestAnimationFrame(() => resolve(true)))");
    return Promise.race([frame.catch(() => false), delay(FRAME, false, { ref: false })]);
  });
  return (await Promise.all(drawn)).every(Boolean);
}

/** Starts a server with these flags and a browser, and opens a path. Both end after `use`. */
export async function withPage(
  path: string,
  use: (open: OpenPage) => Promise<void>,
  flags: string[] = [],
): Promise<void> {
  const server = { args: ["--store=memory:", ...flags], env: { PETSTORE_KEYS: KEY } };
  await withBrowser((browser) =>
    withFreshServer(server, async ({ origin }) => {
      const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
      const page = await context.newPage();
      const open: OpenPage = { page, origin, complaints: [], requested: [], sent: [] };
      page.on("console", (message) => open.complaints.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => open.complaints.push(error.message));
      page.on("request", (request) => {
        open.requested.push(request.url());
        const body = request.postData();
        if (body !== null) open.sent.push(body);
      });
      await page.goto(origin + path);
      await use(open);
    })
  );
}

/** Opens the dialog for the key. */
export async function openDialog(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Authorize", exact: true }).click();
}

export async function authorize(page: Page): Promise<void> {
  await openDialog(page);
  await page.getByLabel("auth-bearer-value").fill(KEY);
  await page.getByRole("button", { name: "Apply credentials" }).click();
  await close(page);
}

/** Closes the dialog for the key. */
export async function close(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Close" }).last().click();
}

/** Opens an operation, fills in its body and its parameters, executes it, and returns the response that is shown. */
export async function execute(
  page: Page,
  operation: string,
  { body, parameters = {} }: { body?: string; parameters?: Record<string, string> } = {},
): Promise<{ status: string; body: string; curl: string }> {
  const block = page.locator(`#operations-animals-${operation}`);
  // After a reload, the page itself opens the operation that its address names. A click would then close it.
  const isNamed = page.url().endsWith(`/${operation}`);
  if (!isNamed && await block.locator(".execute").count() === 0) {
    await block.locator(".opblock-summary-control").click();
  }
  if (body !== undefined) await block.locator("textarea").first().fill(body);
  for (const [name, value] of Object.entries(parameters)) {
    await block.locator(`tr[data-param-name="${name}"] input`).fill(value);
  }
  const clear = block.getByRole("button", { name: "Clear", exact: true });
  // The previous response would stay until the new one arrives.
  if (await clear.count() > 0) await clear.click();
  await block.locator(".execute").click();
  const live = block.locator(".live-responses-table");
  return {
    status: await live.locator("tbody .response-col_status").first().innerText(),
    body: await live.locator(".highlight-code code").first().innerText(),
    curl: await block.locator(".curl-command code").innerText(),
  };
}
