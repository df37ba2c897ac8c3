/** A real browser with the page of a real server in it. */

import { type Browser, chromium, type Page } from "playwright-core";
import { ServerProcess } from "../support/server/server_process.ts";
import { withTempFolder } from "../support/temp.ts";

/** Where Debian's package puts it. */
const CHROMIUM = "/usr/bin/chromium";

// As root there is no sandbox; the rest keeps the browser itself from asking its makers anything.
const ARGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** The key of the server. */
export const KEY = "pk_browser_0123456789abcdef";

/** The largest int64, which a JavaScript number would turn into 9223372036854775808. */
export const LARGEST = "9223372036854775807";

/** The smallest but one: of the smallest, a power of two, a JavaScript number would be exact. */
export const SMALLEST = "-9223372036854775807";

/** Why there can be no browser here, or `false`. */
export function whyNoBrowser(): string | false {
  try {
    return Deno.statSync(CHROMIUM).isFile ? false : `${CHROMIUM} is no file`;
  } catch {
    return `there is no ${CHROMIUM}: apt-get install chromium`;
  }
}

/** A page, and what went on behind it. */
export interface OpenPage {
  page: Page;
  origin: string;
  /** What the console shows, errors of the page and breaches of its policy included. */
  complaints: string[];
  /** Every address that was asked for. */
  requested: string[];
  /** The body of every request that had one, as it was sent. */
  sent: string[];
}

/** Options of {@link withPage}. */
export interface PageOptions {
  width?: number;
  height?: number;
  hasScripts?: boolean;
}

/** Starts a server and a browser, and opens a path. Both are gone when `use` is done. */
export async function withPage(
  path: string,
  use: (open: OpenPage) => Promise<void>,
  { width = 1200, height = 900, hasScripts = true }: PageOptions = {},
): Promise<void> {
  await withTempFolder(async (folder) => {
    await using server = await ServerProcess.start(folder, { args: ["--store=memory:"], env: { PETSTORE_KEYS: KEY } });
    const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS.split(" ") });
    try {
      const page = await browser.newPage({ viewport: { width, height }, javaScriptEnabled: hasScripts });
      const open = watch(page, `http://127.0.0.1:${server.port}`);
      await page.goto(open.origin + path);
      await use(open);
    } finally {
      await browser.close();
    }
  });
}

function watch(page: Page, origin: string): OpenPage {
  const open: OpenPage = { page, origin, complaints: [], requested: [], sent: [] };
  page.on("console", (message) => open.complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => open.complaints.push(error.message));
  page.on("request", (request) => {
    open.requested.push(request.url());
    const body = request.postData();
    if (body !== null) open.sent.push(body);
  });
  return open;
}

/** Enters the API key, as somebody would who pastes it. */
export async function authorize(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Authorize" }).click();
  await page.getByLabel("auth-bearer-value").fill(KEY);
  await page.getByRole("button", { name: "Apply credentials" }).click();
  await page.getByRole("button", { name: "Close" }).last().click();
}

/** Opens an operation, fills in its body and its parameters, executes it, and returns what is then shown. */
export async function execute(
  page: Page,
  operation: string,
  { body, parameters = {} }: { body?: string; parameters?: Record<string, string> } = {},
): Promise<{ status: string; body: string; curl: string }> {
  const block = page.locator(`#operations-animals-${operation}`);
  if (await block.locator(".execute").count() === 0) await block.locator(".opblock-summary-control").click();
  if (body !== undefined) await block.locator("textarea").first().fill(body);
  for (const [name, value] of Object.entries(parameters)) {
    await block.locator(`tr[data-param-name="${name}"] input`).fill(value);
  }
  const clear = block.getByRole("button", { name: "Clear", exact: true });
  // The answer before would be shown until the new one has come.
  if (await clear.count() > 0) await clear.click();
  await block.locator(".execute").click();
  const live = block.locator(".live-responses-table");
  return {
    status: await live.locator("tbody .response-col_status").first().innerText(),
    body: await live.locator(".highlight-code code").first().innerText(),
    curl: await block.locator(".curl-command code").innerText(),
  };
}
