/** The page of the standalone server in Chromium, used as its users use it. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { NO_CHROMIUM } from "../../support/system/chromium.ts";
import { testUnless } from "../../support/system/commands.ts";
import { authorize, execute, KEY, LARGEST, openDialog, type OpenPage, type PageOptions, withPage } from "./browser.ts";

/** The second smallest int64. A JavaScript number holds the smallest exactly, since it is a power of two. */
const SMALLEST = "-9223372036854775807";

const SCREEN = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

interface Reference {
  $ref?: string;
}

/** A response of the description. */
interface Failure {
  description: string;
  content: { "application/json": { examples: Record<string, { value: { code: string } }> } };
}

function testPage(title: string, path: string, use: (open: OpenPage) => Promise<void>, options?: PageOptions): void {
  testUnless(NO_CHROMIUM)(title, () => withPage(path, use, options));
}

testPage(
  "/ redirects to the page, which adds and lists pets with a pasted key, exact in requests, in downloads and on the screen",
  "/",
  async ({ page, origin, complaints, requested, sent }) => {
    await authorize(page);
    assert.equal(page.url(), `${origin}/docs`);
    const bodies = [`{"name":"Luna <b>","categoryId":${LARGEST}}`, `{"name":"Milo","categoryId":${SMALLEST}}`];
    for (const [index, body] of bodies.entries()) {
      const shown = await execute(page, "createPet", { body });
      assert.equal(shown.status, "201");
      assert.equal(shown.body, layOut(body, index + 1));
      assert.ok(shown.curl.includes(`-d '${body}'`), shown.curl);
    }
    assert.deepEqual(sent, bodies);
    const kept = `[${bodies.map((body, index) => asPet(body, index + 1)).join()}]`;
    const response = await fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${KEY}` } });
    assert.equal(await response.text(), kept);

    const list = await execute(page, "listPets");
    assert.equal(list.status, "200");
    const pets = bodies.map((body, index) => layOut(body, index + 1).replaceAll(/^/gm, "  "));
    assert.equal(list.body, `[\n${pets.join(",\n")}\n]`);
    assert.equal((await execute(page, "getPet", { parameters: { petId: "2" } })).body, layOut(bodies[1]!, 2));
    const download = page.waitForEvent("download");
    await page.locator("#operations-animals-getPet .download-contents").click();
    assert.equal(await Deno.readTextFile(await (await download).path()), layOut(bodies[1]!, 2));
    assert.deepEqual(complaints, []);
    assert.deepEqual(requested.filter((url) => !url.startsWith(`${origin}/`)), []);
    const missing = await execute(page, "getPet", { parameters: { petId: LARGEST } });
    assert.ok(missing.body.includes(`There is no pet \\"${LARGEST}\\"`), missing.body);
    assert.ok(requested.at(-1)?.endsWith(`/v1/pets/${LARGEST}`));
  },
);

testPage(
  "a reload forgets the key; it is kept if the user asks for it, in this tab alone, until it is logged out",
  "/docs",
  async ({ page, origin, complaints }) => {
    const stored = () => page.evaluate("[document.cookie + localStorage.length, Object.values(sessionStorage).join()]");
    const status = async () => (await execute(page, "listPets")).status.slice(0, 3);
    const keep = page.getByLabel("Keep the key");

    assert.equal(JSON.parse((await execute(page, "listPets")).body).code, "missing_api_key");
    await authorize(page);
    assert.equal(await status(), "200");
    await page.reload();
    assert.equal(await status(), "401");

    await openDialog(page);
    assert.equal(await keep.isChecked(), false);
    await keep.check();
    await page.getByRole("button", { name: "Close" }).last().click();
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
    assert.equal(await keep.isChecked(), true);
    await keep.uncheck();
    assert.deepEqual(await stored(), ["0", ""]);
    await keep.check();
    assert.deepEqual(await stored(), ["0", KEY]);
    await page.getByRole("button", { name: "Remove authorization" }).click();
    assert.deepEqual(await stored(), ["0", ""]);
    await page.reload();
    assert.equal(await status(), "401");
    assert.deepEqual(complaints.filter((complaint) => !complaint.includes("401")), []);
  },
);

testPage(
  "no key is in the page after it is applied and requests are sent, and the command for curl runs with it in a variable",
  "/docs",
  async ({ page }) => {
    const read = () =>
      page.evaluate(`document.documentElement.outerHTML + "\\n" + document.documentElement.innerText + "\\n" +
      [...document.querySelectorAll("input:not([type=password]), textarea")].map(({ value }) => value).join("\\n")`);
    await openDialog(page);
    await page.getByLabel("auth-bearer-value").fill(KEY);
    assert.ok(!String(await read()).includes(KEY));
    await page.getByRole("button", { name: "Apply credentials" }).click();
    assert.ok(!String(await read()).includes(KEY));
    await page.getByRole("button", { name: "Close" }).last().click();
    const name = 'Luna\'s "$API_KEY"';
    const body = JSON.stringify({ name, categoryId: 7 });
    const inputs = { createPet: { body }, listPets: {}, getPet: { parameters: { petId: "1" } } };
    for (const [operation, input] of Object.entries(inputs)) {
      const { status, curl } = await execute(page, operation, input);
      assert.ok(status.startsWith("20"), status);
      assert.ok(curl.includes('"Authorization: Bearer $API_KEY"'), curl);
      const { stdout } = new Deno.Command("sh", { args: ["-c", curl], env: { API_KEY: KEY }, stderr: "null" })
        .outputSync();
      assert.ok(new TextDecoder().decode(stdout).includes(JSON.stringify(name)), curl);
      assert.ok(!String(await read()).includes(KEY));
    }
    await openDialog(page);
    assert.ok(!String(await read()).includes(KEY));
  },
);

testPage(
  "POST /pets fits two screens, with each status and each code that the description has, and its examples open",
  "/docs",
  async ({ page, origin, complaints }) => {
    const block = page.locator("#operations-animals-createPet");
    await block.locator(".opblock-summary-control").click();
    await block.locator(".execute").waitFor();
    const { height } = await block.boundingBox() ?? { height: Infinity };
    assert.ok(height <= 2 * SCREEN.height, `POST /pets is ${height} pixels high`);

    const { paths, components } = await (await fetch(`${origin}/openapi.json`)).json();
    const rows = block.locator(".failure");
    const failures = Object.entries<Reference & Failure>(paths["/pets"].post.responses).filter(([status]) =>
      status >= "400"
    );
    assert.ok(failures.length > 5);
    assert.equal(await rows.count(), failures.length);
    for (const [index, [status, { $ref, ...own }]] of failures.entries()) {
      const { description, content } = $ref ? components.responses[$ref.split("/").at(-1)!] as Failure : own as Failure;
      const row = rows.nth(index);
      const summary = await row.locator("summary").innerText();
      assert.ok(summary.startsWith(status), summary);
      assert.ok(summary.includes(description), summary);
      const examples = Object.values(content["application/json"].examples);
      for (const { value: { code } } of examples) assert.ok(summary.includes(code), `${summary} lacks ${code}`);
      await row.locator("summary").click();
      assert.ok((await row.locator(".highlight-code").innerText()).includes(`"code": "${examples[0]?.value.code}"`));
    }
    assert.deepEqual(complaints, []);
  },
  SCREEN,
);

testPage(
  "the page shows the groups by name, the labels of stability, and the named servers, to which it can send requests",
  "/docs",
  async ({ page, complaints }) => {
    const summaries = page.locator(".opblock-summary");
    await summaries.first().waitFor();
    assert.deepEqual(await page.locator(".opblock-tag a span").allInnerTexts(), ["Animals", "Orders"]);
    const labels = (await summaries.allInnerTexts()).map((text) => /\b(experimental|alpha|beta)\b/i.exec(text)?.[0]);
    assert.deepEqual(labels, ["beta", undefined, "experimental", undefined]);
    assert.deepEqual(await findFaint(page, ".stability"), []);
    const servers = await page.locator("#servers option").allInnerTexts();
    assert.deepEqual(servers, ["https://api.invalid/v1 - Production", "https://staging.invalid/v1 - Staging"]);
    await page.evaluate('fetch("https://staging.invalid/v1/pets").catch(() => {})');
    assert.deepEqual(complaints.filter((complaint) => complaint.includes("Content Security Policy")), []);
  },
  {
    flags: [
      "--openapi-server=Production=https://api.invalid/v1",
      "--openapi-server=Staging=https://staging.invalid/v1",
      "--stability=listPets=beta",
      "--stability=getPet=experimental",
    ],
  },
);

/** The texts of the last response that a button covers. Runs in the browser. */
const COVERED = `{
  const response = document.querySelector(".live-responses-table .highlight-code");
  const buttons = [...response.querySelectorAll("button")].map((button) => button.getBoundingClientRect());
  [...response.querySelectorAll("code span")].filter((span) => [...span.getClientRects()].some((line) => buttons.some((button) =>
    line.left < button.right && button.left < line.right && line.top < button.bottom && button.top < line.bottom
  ))).map(({ textContent }) => textContent);
}`;

testPage(
  "on a phone nothing is wider than the page, and no button covers a part of the response",
  "/docs",
  async ({ page }) => {
    await authorize(page);
    await execute(page, "createPet", { body: `{"name":"Luna","categoryId":${LARGEST}}` });
    assert.deepEqual(await page.evaluate(COVERED), []);
    const widest =
      'Math.max(...[...document.querySelectorAll(".opblock-section-header *")].map((each) => each.getBoundingClientRect().right))';
    assert.ok(Number(await page.evaluate(widest)) <= PHONE.width);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
  },
  PHONE,
);

const FAINT_TEXTS = await Deno.readTextFile(new URL("faint_texts.js", import.meta.url));

async function findFaint(page: Page, selector: string): Promise<unknown> {
  return await page.evaluate(`(${FAINT_TEXTS.trim().replace(/;$/, "")})(${JSON.stringify(selector)})`);
}

const OWN = "header *, .about *, .opblock-summary-method, #operations-animals-createPet *";

testPage(
  "the page has the colours that its user prefers, and every text can be read in the dark ones",
  "/docs",
  async ({ page }) => {
    const block = page.locator("#operations-animals-createPet");
    await block.locator(".opblock-summary-control").click();
    await block.locator(".execute").waitFor();
    const isDark = page.locator("html.dark-mode");
    await page.emulateMedia({ colorScheme: "light" });
    await isDark.waitFor({ state: "detached" });
    // A faded block would make its texts fainter than their colours.
    const opacity = 'getComputedStyle(document.querySelector(".opblock-deprecated")).opacity';
    assert.equal(await page.evaluate(opacity), "1");
    assert.deepEqual(await findFaint(page, ".opblock-summary-method"), []);
    await page.emulateMedia({ colorScheme: "dark" });
    await isDark.waitFor({ state: "attached" });
    // In the light colours, some other texts of Swagger UI itself are faint.
    assert.deepEqual(await findFaint(page, OWN), []);
    await page.reload();
    await isDark.waitFor({ state: "attached" });
  },
);

testPage(
  "without JavaScript the page links to the description, also in dark colours",
  "/docs",
  async ({ page, origin }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await findFaint(page, OWN), []);
    assert.match(await page.locator("body").innerText(), /needs JavaScript.*\/openapi\.json/);
    await page.getByRole("link", { name: "/openapi.json" }).click();
    assert.equal(page.url(), `${origin}/openapi.json`);
  },
  { hasScripts: false },
);

/** A body as the service returns it. */
function asPet(body: string, id: number): string {
  return `{"id":${id},${body.slice(1, -1)},"status":"available"}`;
}

/** The same with the layout of the page. JSON.parse() would round its numbers. */
function layOut(body: string, id: number): string {
  const members = asPet(body, id).slice(1, -1).split(",").map((member) => `  ${member.replace(":", ": ")}`);
  return `{\n${members.join(",\n")}\n}`;
}
