/** The page of the standalone server in Chromium, used as its users use it. */

import assert from "node:assert/strict";
import { NO_CHROMIUM } from "../../support/system/chromium.ts";
import { testUnless } from "../../support/system/commands.ts";
import { authorize, execute, KEY, LARGEST, openDialog, type OpenPage, type PageOptions, withPage } from "./browser.ts";

/** The second smallest int64. A JavaScript number holds the smallest exactly, since it is a power of two. */
const SMALLEST = "-9223372036854775807";

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
  "the page shows the groups by name, the labels of stability, the failures by their codes, and the named servers, to which it can send requests",
  "/docs",
  async ({ page, complaints }) => {
    const summaries = page.locator(".opblock-summary");
    await summaries.first().waitFor();
    assert.deepEqual(await page.locator(".opblock-tag a span").allInnerTexts(), ["Animals", "Orders"]);
    const labels = (await summaries.allInnerTexts()).map((text) => /\b(experimental|alpha|beta)\b/i.exec(text)?.[0]);
    assert.deepEqual(labels, ["beta", undefined, "experimental", undefined]);
    const servers = await page.locator("#servers option").allInnerTexts();
    assert.deepEqual(servers, ["https://api.invalid/v1 - Production", "https://staging.invalid/v1 - Staging"]);
    await page.evaluate('fetch("https://staging.invalid/v1/pets").catch(() => {})');
    const block = page.locator("#operations-animals-createPet");
    await block.locator(".opblock-summary-control").click();
    await block.locator(".failure summary", { hasText: "idempotency_key_reused" }).waitFor();
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

testPage(
  "the page has the colours that its user prefers",
  "/docs",
  async ({ page }) => {
    const isDark = page.locator("html.dark-mode");
    for (const [colorScheme, state] of [["light", "detached"], ["dark", "attached"]] as const) {
      await page.emulateMedia({ colorScheme });
      await isDark.waitFor({ state });
    }
    await page.reload();
    await isDark.waitFor({ state: "attached" });
  },
);

testPage(
  "without JavaScript the page links to the description",
  "/docs",
  async ({ page, origin }) => {
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
