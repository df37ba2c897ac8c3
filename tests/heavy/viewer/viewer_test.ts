/** The page of the standalone server in Chromium, used as its users use it. */

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { withFreshServer } from "../../support/server/server_process.ts";
import { CHROMIUM, NO_CHROMIUM } from "../../support/system/chromium.ts";
import { testUnless } from "../../support/system/commands.ts";

const KEY = "pk_0123456789abcdef";

/** A page, and what it has sent and reported since it was opened. */
interface OpenPage {
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
async function withPage(
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
async function openDialog(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Authorize", exact: true }).click();
}

async function authorize(page: Page): Promise<void> {
  await openDialog(page);
  await page.getByLabel("auth-bearer-value").fill(KEY);
  await page.getByRole("button", { name: "Apply credentials" }).click();
  await close(page);
}

/** Closes the dialog for the key. */
async function close(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Close" }).last().click();
}

/** Opens an operation, fills in its body and its parameters, executes it, and returns the response that is shown. */
async function execute(
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

/**
 * The largest int64, and the second smallest. A JavaScript number holds the smallest exactly, since
 * it is a power of two.
 */
const LARGEST = "9223372036854775807";
const SMALLEST = "-9223372036854775807";

function testPage(title: string, path: string, use: (open: OpenPage) => Promise<void>, flags?: string[]): void {
  testUnless(NO_CHROMIUM)(title, () => withPage(path, use, flags));
}

/** A pet as the page shows it. */
function shownPet(id: number, name: string, categoryId: string): string {
  return `{\n  "id": ${id},\n  "name": "${name}",\n  "categoryId": ${categoryId},\n  "status": "available"\n}`;
}

testPage(
  "/ redirects to the page, which adds and lists pets with a pasted key, exact in requests, in downloads and on the screen",
  "/",
  async ({ page, origin, complaints, requested, sent }) => {
    await authorize(page);
    assert.equal(page.url(), `${origin}/docs`);
    const pets = [["Luna <b>", LARGEST], ["Milo", SMALLEST]] as const;
    const bodies = pets.map(([name, categoryId]) => `{"name":"${name}","categoryId":${categoryId}}`);
    const shown = pets.map(([name, categoryId], i) => shownPet(i + 1, name, categoryId));
    for (const [i, body] of bodies.entries()) {
      assert.equal((await execute(page, "createPet", { body })).body, shown[i]);
    }
    assert.deepEqual(sent, bodies);
    const list = await execute(page, "listPets");
    assert.equal(list.body, `[\n${shown.join(",\n").replaceAll(/^/gm, "  ")}\n]`);
    assert.equal((await execute(page, "getPet", { parameters: { petId: "2" } })).body, shown[1]);
    const download = page.waitForEvent("download");
    await page.locator("#operations-animals-getPet .download-contents").click();
    assert.equal(await Deno.readTextFile(await (await download).path()), shown[1]);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requested.filter((url) => !url.startsWith(`${origin}/`)), []);
    const missing = await execute(page, "getPet", { parameters: { petId: LARGEST } });
    assert.ok(missing.body.includes(`There is no pet \\"${LARGEST}\\"`), missing.body);
  },
);

testPage(
  "a reload forgets the key; it is kept if the user asks for it, in this tab alone, until it is logged out",
  "/docs",
  async ({ page, origin }) => {
    const stored = () => page.evaluate("[document.cookie + localStorage.length, Object.values(sessionStorage).join()]");
    const status = async () => (await execute(page, "listPets")).status.slice(0, 3);

    await authorize(page);
    assert.equal(await status(), "200");
    await page.reload();
    assert.equal(await status(), "401");

    await openDialog(page);
    await page.getByLabel("Keep the key").check();
    await close(page);
    assert.deepEqual(await stored(), ["0", ""]);
    await authorize(page);
    assert.deepEqual(await stored(), ["0", KEY]);
    await page.reload();
    assert.equal(await status(), "200");

    const tab = await page.context().newPage();
    await tab.goto(`${origin}/docs`);
    assert.match((await execute(tab, "listPets")).status, /^401/);
    await tab.close();

    await openDialog(page);
    await page.getByRole("button", { name: "Remove authorization" }).click();
    assert.deepEqual(await stored(), ["0", ""]);
    await page.reload();
    assert.equal(await status(), "401");
  },
);

testPage(
  "no key is in the page after it is applied and requests are sent, and the command for curl runs with it in a variable",
  "/docs",
  async ({ page }) => {
    const assertHidden = async () => {
      const text = await page.evaluate(`document.documentElement.outerHTML + document.documentElement.innerText +
        [...document.querySelectorAll("input:not([type=password]), textarea")].map(({ value }) => value).join()`);
      assert.ok(!String(text).includes(KEY));
    };
    await openDialog(page);
    await page.getByLabel("auth-bearer-value").fill(KEY);
    await assertHidden();
    await page.getByRole("button", { name: "Apply credentials" }).click();
    await close(page);
    const body = JSON.stringify({ name: 'Luna\'s "$API_KEY"', categoryId: 7 });
    const { status, curl } = await execute(page, "createPet", { body });
    assert.match(status, /^201/);
    await assertHidden();
    const ran = new Deno.Command("sh", { args: ["-c", curl], env: { API_KEY: KEY }, stderr: "null" }).outputSync();
    assert.ok(new TextDecoder().decode(ran.stdout).includes(body.slice(1, -1)), curl);
    await openDialog(page);
    await assertHidden();
  },
);

testPage(
  "the page shows labels of stability and the failures by their codes, and can send requests to each named server",
  "/docs",
  async ({ page, complaints }) => {
    await page.locator(".opblock-summary", { hasText: "beta" }).waitFor();
    await page.evaluate('fetch("https://staging.invalid/v1/pets").catch(() => {})');
    const block = page.locator("#operations-animals-createPet");
    await block.locator(".opblock-summary-control").click();
    await block.locator(".failure summary", { hasText: "idempotency_key_reused" }).waitFor();
    assert.deepEqual(complaints.filter((complaint) => complaint.includes("Content Security Policy")), []);
  },
  ["--openapi-server=Staging=https://staging.invalid/v1", "--stability=listPets=beta"],
);
