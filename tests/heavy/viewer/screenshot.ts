/** `deno task screenshot`: writes docs/viewer.png. */

import { fileURLToPath } from "node:url";
import { authorize, execute, LARGEST, withPage } from "./browser.ts";

const PATH = fileURLToPath(new URL("../../../docs/viewer.png", import.meta.url));

// The height makes scrolling unnecessary.
await withPage("/docs", async ({ page }) => {
  await authorize(page);
  await execute(page, "createPet", { body: `{"name":"Luna","categoryId":${LARGEST}}` });
  const block = page.locator("#operations-animals-createPet");
  // The field is sized for larger bodies. A user can drag its corner too.
  await block.locator("textarea").first().evaluate(({ style }) => {
    style.setProperty("min-height", "3em", "important");
    style.setProperty("height", "3em", "important");
  });

  const top = await block.locator(".opblock-section-request-body").boundingBox();
  const bottom = await block.locator(".live-responses-table tbody").boundingBox();
  if (!top || !bottom) throw new Error("The page shows no response");
  const { x, y, width } = top;
  await page.screenshot({ path: PATH, clip: { x, y, width, height: bottom.y + bottom.height - y } });
}, { width: 900, height: 2400 });
